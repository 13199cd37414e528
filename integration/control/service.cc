#include "integration/control/service.h"

#include <errno.h>
#include <poll.h>
#include <sys/socket.h>

#include <new>

#include "accounting/sys_io.h"
#include "integration/control/protocol.h"
#include "integration/control/request.h"
#include "snapshot/capture.h"

namespace heaptally::control {
namespace {

constexpr size_t kMaxClients = 16;
constexpr size_t kMaxPassed = 8;  // descriptors in one message
constexpr int kShortestNapMs = 1;
constexpr int kLongestNapMs = 20;

intptr_t OnSocket(long call, int fd, uintptr_t a, uintptr_t b = 0,
                  uintptr_t c = 0) {
  return sys::Call(call, static_cast<uintptr_t>(fd), a, b, c);
}

bool Send(int fd, const TextWriter& text) {
  const intptr_t sent =
      sys::Call(SYS_sendto, static_cast<uintptr_t>(fd), sys::Arg(text.data()),
                text.size(), MSG_DONTWAIT | MSG_NOSIGNAL, 0, 0);
  return sent == static_cast<intptr_t>(text.size());
}

// One datagram with the descriptors that came with it.
struct Message {
  intptr_t size = 0;
  bool cut = false;
  int fd = -1;  // the first descriptor; further ones are closed
  bool too_many = false;
};

void TakeDescriptors(const msghdr& header, Message* message) {
  for (cmsghdr* c = CMSG_FIRSTHDR(&header); c != nullptr;
       c = CMSG_NXTHDR(const_cast<msghdr*>(&header), c)) {
    if (c->cmsg_level != SOL_SOCKET || c->cmsg_type != SCM_RIGHTS) continue;
    const size_t count = (c->cmsg_len - CMSG_LEN(0)) / sizeof(int);
    for (size_t i = 0; i < count; ++i) {
      int fd;
      __builtin_memcpy(&fd, CMSG_DATA(c) + i * sizeof(int), sizeof(int));
      if (message->fd < 0) {
        message->fd = fd;
      } else {
        message->too_many = true;
        sys::Close(fd);
      }
    }
  }
}

Message Receive(int fd, char* buffer, size_t size) {
  alignas(cmsghdr) char control[CMSG_SPACE(kMaxPassed * sizeof(int))];
  iovec part = {buffer, size};
  msghdr header = {};
  header.msg_iov = &part;
  header.msg_iovlen = 1;
  header.msg_control = control;
  header.msg_controllen = sizeof(control);
  Message message;
  message.size = OnSocket(SYS_recvmsg, fd, sys::Arg(&header),
                          MSG_DONTWAIT | MSG_CMSG_CLOEXEC);
  if (sys::Failed(message.size)) return message;
  TakeDescriptors(header, &message);
  message.cut = (header.msg_flags & MSG_TRUNC) != 0;
  if ((header.msg_flags & MSG_CTRUNC) != 0) message.too_many = true;
  return message;
}

class Service {
 public:
  Service(int listener, uintptr_t thread_pointer)
      : listener_(listener), thread_pointer_(thread_pointer) {
    for (Client& client : clients_) client.fd = -1;
  }

  void Run() {
    for (;;) {
      const int ready = Wait();
      if (ready < 0) return;
      if (capturing_) WatchCapture();
      if (ready == 0) continue;
      for (size_t i = 1; i < polled_count_; ++i) {
        if (polled_[i].revents != 0) Answer(slots_[i]);
      }
      if (polled_[0].revents != 0 && !Accept()) return;
    }
  }

 private:
  struct Client {
    int fd;
    uint64_t heard;  // when it last said something; by a counter
  };

  // No timeout unless a capture is on the way. Only open descriptors are
  // polled: the kernel refuses more of them than the program may open.
  int Wait() {
    polled_[0] = {listener_, POLLIN, 0};
    polled_count_ = 1;
    for (size_t i = 0; i < kMaxClients; ++i) {
      if (clients_[i].fd < 0) continue;
      slots_[polled_count_] = i;
      polled_[polled_count_++] = {clients_[i].fd, POLLIN, 0};
    }
    timespec nap = {0, nap_ms_ * 1000 * 1000};
    const intptr_t n = sys::Call(SYS_ppoll, sys::Arg(polled_), polled_count_,
                                 capturing_ ? sys::Arg(&nap) : 0, 0, 0);
    if (n == -EINTR) return 0;
    if (capturing_ && nap_ms_ < kLongestNapMs) ++nap_ms_;
    return static_cast<int>(n);
  }

  bool Accept() {
    if ((polled_[0].revents & POLLIN) == 0) return false;
    const intptr_t fd =
        OnSocket(SYS_accept4, listener_, 0, 0, SOCK_CLOEXEC | SOCK_NONBLOCK);
    if (fd == -EMFILE || fd == -ENFILE || fd == -ENOMEM) {
      timespec pause = {0, 100 * 1000 * 1000};
      sys::Call(SYS_nanosleep, sys::Arg(&pause), 0);
    }
    if (sys::Failed(fd)) return true;
    const int client = static_cast<int>(fd);
    if (!IsOfOurUser(client)) {
      Refuse(client, "this process belongs to another user");
      sys::Close(client);
      return true;
    }
    clients_[FreeSlot()] = {client, ++clock_};
    return true;
  }

  static bool IsOfOurUser(int fd) {
    ucred peer = {};
    socklen_t size = sizeof(peer);
    const intptr_t result =
        sys::Call(SYS_getsockopt, static_cast<uintptr_t>(fd), SOL_SOCKET,
                  SO_PEERCRED, sys::Arg(&peer), sys::Arg(&size));
    const auto user = static_cast<uid_t>(sys::Call(SYS_geteuid));
    return !sys::Failed(result) && (peer.uid == user || peer.uid == 0);
  }

  // Whoever has been silent for longest makes room, but for the one whose
  // snapshot is being taken.
  size_t FreeSlot() {
    size_t oldest = capturing_ && requester_ == 0 ? 1 : 0;
    for (size_t i = 0; i < kMaxClients; ++i) {
      if (clients_[i].fd < 0) return i;
      const bool waits = capturing_ && i == requester_;
      if (!waits && clients_[i].heard < clients_[oldest].heard) oldest = i;
    }
    Drop(oldest);
    return oldest;
  }

  void Drop(size_t i) {
    sys::Close(clients_[i].fd);
    clients_[i].fd = -1;
    if (capturing_ && i == requester_) {
      requester_ = kMaxClients;
      job()->Cancel();
    }
  }

  static bool Refuse(int fd, const char* sentence) {
    char buffer[256];
    TextWriter reply(buffer, sizeof(buffer));
    return Send(fd, reply.Text(kError).Text(sentence).Char('\n'));
  }

  void Answer(size_t i) {
    const int fd = clients_[i].fd;
    clients_[i].heard = ++clock_;
    const Message message = Receive(fd, request_, sizeof(request_));
    if (message.size == -EAGAIN || message.size == -EINTR) return;
    if (message.size <= 0) {
      if (message.fd >= 0) sys::Close(message.fd);
      return Drop(i);
    }
    const char* problem =
        message.cut        ? "the request is too long"
        : message.too_many ? "a request comes with one file descriptor at most"
                           : nullptr;
    const Request request(request_, static_cast<size_t>(message.size));
    bool kept = false;
    bool sent = true;
    if (problem != nullptr) {
      sent = Refuse(fd, problem);
    } else if (request.is_snapshot()) {
      kept = message.fd >= 0;
      sent = StartCapture(i, message.fd, request);
    } else {
      TextWriter reply(reply_, sizeof(reply_));
      request.Execute(reply);
      sent = Send(fd, reply);
    }
    if (!kept && message.fd >= 0) sys::Close(message.fd);
    if (!sent) Drop(i);
  }

  bool StartCapture(size_t client, int output, const Request& request) {
    if (output < 0) {
      return Refuse(clients_[client].fd,
                    "a snapshot needs the file descriptor to write to");
    }
    if (capturing_) {
      sys::Close(output);
      return Refuse(clients_[client].fd, CaptureProblem(EBUSY));
    }
    capturing_ = true;
    requester_ = client;
    output_ = output;
    nap_ms_ = kShortestNapMs;
    progress_told_ns_ = sys::MonotonicNs();
    new (job_) CaptureJob;
    CaptureOptions options = request.capture_options();
    options.thread_pointer = thread_pointer_;
    if (!job()->Begin(output, options)) EndCapture();
    return true;
  }

  void WatchCapture() {
    if (job()->Poll(false)) return EndCapture();
    const uint64_t now = sys::MonotonicNs();
    constexpr uint64_t kInterval = kProgressIntervalMs * uint64_t{1000000};
    if (now - progress_told_ns_ < kInterval || requester_ == kMaxClients) {
      return;
    }
    progress_told_ns_ = now;
    char buffer[64];
    TextWriter text(buffer, sizeof(buffer));
    text.Text(kProgress).Unsigned(job()->bytes_written()).Char('\n');
    // A client that does not listen misses some.
    Send(clients_[requester_].fd, text);
  }

  void EndCapture() {
    const CaptureResult result = job()->Finish();
    sys::Close(output_);
    capturing_ = false;
    if (requester_ == kMaxClients) return;
    TextWriter reply(reply_, sizeof(reply_));
    WriteCaptureReply(reply, result);
    const size_t client = requester_;
    if (!Send(clients_[client].fd, reply)) Drop(client);
  }

  CaptureJob* job() { return reinterpret_cast<CaptureJob*>(job_); }

  const int listener_;
  const uintptr_t thread_pointer_;
  Client clients_[kMaxClients];
  pollfd polled_[kMaxClients + 1];
  size_t slots_[kMaxClients + 1];  // of the client that is polled there
  size_t polled_count_ = 0;
  uint64_t clock_ = 0;

  bool capturing_ = false;
  size_t requester_ = kMaxClients;  // kMaxClients: it has gone
  int output_ = -1;
  int nap_ms_ = kShortestNapMs;
  uint64_t progress_told_ns_ = 0;
  alignas(CaptureJob) char job_[sizeof(CaptureJob)];

  char request_[kMaxRequest];
  char reply_[kMaxReply];
};

}  // namespace

void Serve(int listener, uintptr_t thread_pointer) {
  Service(listener, thread_pointer).Run();
}

}  // namespace heaptally::control

#include "integration/control/client.h"

#include <errno.h>
#include <poll.h>
#include <string.h>
#include <sys/socket.h>
#include <unistd.h>

#include <utility>

#include "absl/strings/escaping.h"
#include "absl/strings/match.h"
#include "absl/strings/numbers.h"
#include "absl/strings/str_cat.h"
#include "absl/strings/str_split.h"
#include "absl/strings/strip.h"
#include "absl/time/clock.h"
#include "absl/time/time.h"
#include "integration/control/protocol.h"
#include "integration/control/socket_finder.h"

namespace heaptally::control {
namespace {

constexpr int kWatchIntervalMs = 100;
constexpr int kTurnIntervalMs = 50;

std::string Escape(absl::string_view text) {
  std::string out;
  for (const char c : text) {
    const auto byte = static_cast<unsigned char>(c);
    if (byte < 0x20 || byte == '%' || byte == 0x7f) {
      absl::StrAppend(&out, "%", absl::Hex(byte, absl::kZeroPad2));
    } else {
      out.push_back(c);
    }
  }
  return out;
}

std::string Unescape(absl::string_view text) {
  std::string out;
  for (size_t i = 0; i < text.size(); ++i) {
    int byte = 0;
    if (text[i] == '%' && i + 2 < text.size() &&
        absl::SimpleHexAtoi(text.substr(i + 1, 2), &byte)) {
      out.push_back(static_cast<char>(byte));
      i += 2;
    } else {
      out.push_back(text[i]);
    }
  }
  return out;
}

Facts ParseFacts(absl::string_view reply) {
  Facts facts;
  for (absl::string_view line : absl::StrSplit(reply, '\n')) {
    const size_t equals = line.find('=');
    if (equals == absl::string_view::npos) continue;
    facts[std::string(line.substr(0, equals))] =
        Unescape(line.substr(equals + 1));
  }
  return facts;
}

// The sentence of an `error` reply; OK for `ok`.
absl::Status ReplyStatus(absl::string_view reply) {
  const absl::string_view line = reply.substr(0, reply.find('\n'));
  if (line == kOk) return absl::OkStatus();
  absl::string_view sentence = line;
  if (absl::ConsumePrefix(&sentence, kError)) {
    return absl::FailedPreconditionError(Unescape(sentence));
  }
  return absl::InternalError(
      "the process answered in a way that this version does not understand");
}

}  // namespace

uint64_t FactAsNumber(const Facts& facts, const std::string& key) {
  const auto found = facts.find(key);
  uint64_t value = 0;
  if (found == facts.end() || !absl::SimpleAtoi(found->second, &value)) {
    return 0;
  }
  return value;
}

absl::StatusOr<Client> Client::Connect(pid_t pid,
                                       const std::string& directory) {
  absl::StatusOr<int> socket = ConnectToProcess(pid, directory);
  if (!socket.ok()) return socket.status();
  return Client(pid, *socket);
}

Client::Client(Client&& other) noexcept
    : pid_(other.pid_),
      socket_(std::exchange(other.socket_, -1)),
      timeout_ms_(other.timeout_ms_),
      stop_(std::move(other.stop_)) {}

Client& Client::operator=(Client&& other) noexcept {
  std::swap(pid_, other.pid_);
  std::swap(socket_, other.socket_);
  std::swap(timeout_ms_, other.timeout_ms_);
  std::swap(stop_, other.stop_);
  return *this;
}

Client::~Client() {
  if (socket_ >= 0) close(socket_);
}

absl::Status Client::Gone() const {
  return absl::AbortedError(
      absl::StrCat("process ", pid_, " ended before it had answered"));
}

absl::Status Client::Send(const std::string& request, int fd) {
  if (request.size() > kMaxRequest) {
    return absl::InvalidArgumentError("the label is too long");
  }
  iovec part = {const_cast<char*>(request.data()), request.size()};
  alignas(cmsghdr) char control[CMSG_SPACE(sizeof(int))] = {};
  msghdr header = {};
  header.msg_iov = &part;
  header.msg_iovlen = 1;
  if (fd >= 0) {
    header.msg_control = control;
    header.msg_controllen = sizeof(control);
    cmsghdr* rights = CMSG_FIRSTHDR(&header);
    rights->cmsg_level = SOL_SOCKET;
    rights->cmsg_type = SCM_RIGHTS;
    rights->cmsg_len = CMSG_LEN(sizeof(int));
    memcpy(CMSG_DATA(rights), &fd, sizeof(int));
  }
  while (sendmsg(socket_, &header, MSG_NOSIGNAL) < 0) {
    if (errno == EINTR) continue;
    if (errno == EPIPE || errno == ECONNRESET) return Gone();
    return absl::UnavailableError(
        absl::StrCat("cannot send to process ", pid_, ": ", strerror(errno)));
  }
  return absl::OkStatus();
}

// DeadlineExceeded when nothing came in time; no time limit if negative.
absl::StatusOr<std::string> Client::Receive(int timeout_ms) {
  pollfd wait = {socket_, POLLIN, 0};
  const int ready = poll(&wait, 1, timeout_ms);
  if (ready < 0 && errno != EINTR) return Gone();
  if (ready <= 0) {
    return absl::DeadlineExceededError(
        absl::StrCat("process ", pid_, " does not answer; it may be stopped"));
  }
  std::string reply(kMaxReply, '\0');
  const ssize_t n = recv(socket_, reply.data(), reply.size(), 0);
  if (n <= 0) return Gone();
  reply.resize(static_cast<size_t>(n));
  return reply;
}

absl::StatusOr<Facts> Client::Ask(const std::string& request) {
  absl::Status sent = Send(request, -1);
  if (!sent.ok()) return sent;
  absl::StatusOr<std::string> reply = Receive(timeout_ms_);
  if (!reply.ok()) return reply.status();
  absl::Status status = ReplyStatus(*reply);
  if (!status.ok()) return status;
  return ParseFacts(*reply);
}

absl::StatusOr<Facts> Client::Stat() { return Ask(kStat); }

absl::StatusOr<Facts> Client::Record(absl::string_view mode) {
  return Ask(absl::StrCat(kRecord, mode));
}

absl::Status Client::ResetPeak() { return Ask(kResetPeak).status(); }

absl::StatusOr<SnapshotReply> Client::Snapshot(
    int fd, absl::string_view label,
    const std::function<void(uint64_t)>& progress) {
  // A process takes one snapshot at a time: wait for another client's.
  for (int waited_ms = 0;; waited_ms += kTurnIntervalMs) {
    absl::StatusOr<SnapshotReply> reply = SnapshotOnce(fd, label, progress);
    const bool taken = absl::StrContains(reply.status().message(),
                                         "another snapshot is being taken");
    if (!taken || waited_ms >= timeout_ms_) return reply;
    absl::SleepFor(absl::Milliseconds(kTurnIntervalMs));
  }
}

absl::StatusOr<SnapshotReply> Client::SnapshotOnce(
    int fd, absl::string_view label,
    const std::function<void(uint64_t)>& progress) {
  std::string request = absl::StrCat(kSnapshot, "\n");
  if (!label.empty()) {
    absl::StrAppend(&request, kLabel, Escape(label), "\n");
  }
  absl::Status sent = Send(request, fd);
  if (!sent.ok()) return sent;
  bool begun = false;
  int waited_ms = 0;
  for (;;) {
    absl::StatusOr<std::string> reply = Receive(kWatchIntervalMs);
    if (stop_ && stop_()) return absl::CancelledError("cancelled");
    if (absl::IsDeadlineExceeded(reply.status())) {
      waited_ms += kWatchIntervalMs;
      if (!begun && waited_ms >= timeout_ms_) return reply.status();
      continue;
    }
    if (!reply.ok()) return reply.status();
    absl::string_view bytes = absl::StripTrailingAsciiWhitespace(*reply);
    if (absl::ConsumePrefix(&bytes, kProgress)) {
      begun = true;
      uint64_t value = 0;
      if (progress && absl::SimpleAtoi(bytes, &value)) progress(value);
      continue;
    }
    absl::Status status = ReplyStatus(*reply);
    if (!status.ok()) {
      return absl::FailedPreconditionError(
          absl::StrCat("the snapshot was not taken: ", status.message()));
    }
    const Facts facts = ParseFacts(*reply);
    SnapshotReply result;
    result.pause_ns = FactAsNumber(facts, "pause_ns");
    result.duration_ns = FactAsNumber(facts, "duration_ns");
    result.bytes = FactAsNumber(facts, "bytes");
    result.epoch = static_cast<uint32_t>(FactAsNumber(facts, "epoch"));
    result.quiesced = FactAsNumber(facts, "quiesced") != 0;
    const auto method = facts.find("method");
    result.forked = method != facts.end() && method->second == "fork";
    return result;
  }
}

}  // namespace heaptally::control

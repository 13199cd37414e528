#include "integration/view/http_server.h"

#include <arpa/inet.h>
#include <errno.h>
#include <netinet/in.h>
#include <netinet/tcp.h>
#include <string.h>
#include <sys/socket.h>

#include <chrono>
#include <system_error>
#include <utility>

#include "absl/strings/str_cat.h"
#include "integration/view/http_connection.h"

namespace heaptally::view {
namespace {

// A browser opens six to one address; this is for ten pages at once.
constexpr size_t kMostConnections = 64;
constexpr int kBacklog = 128;

constexpr char kBusy[] =
    "HTTP/1.1 503 Service Unavailable\r\nConnection: close\r\n"
    "Content-Type: application/json\r\nRetry-After: 1\r\n"
    "Content-Length: 54\r\n\r\n"
    "{\"error\":\"Too many connections; close other pages.\"}\r\n";

absl::Status CannotListen(uint16_t port, int error) {
  return absl::UnavailableError(absl::StrCat(
      "cannot listen on port ", port, " of 127.0.0.1: ", strerror(error),
      "; leave --port out, and a free one is taken"));
}

}  // namespace

absl::StatusOr<std::unique_ptr<HttpServer>> HttpServer::Listen(uint16_t port) {
  FileHandle listener(socket(AF_INET, SOCK_STREAM | SOCK_CLOEXEC, 0));
  if (!listener.is_open()) return CannotListen(port, errno);
  const int yes = 1;
  setsockopt(listener.get(), SOL_SOCKET, SO_REUSEADDR, &yes, sizeof(yes));
  sockaddr_in address = {};
  address.sin_family = AF_INET;
  address.sin_addr.s_addr = htonl(INADDR_LOOPBACK);
  address.sin_port = htons(port);
  auto* generic = reinterpret_cast<sockaddr*>(&address);
  socklen_t size = sizeof(address);
  if (bind(listener.get(), generic, size) != 0 ||
      listen(listener.get(), kBacklog) != 0 ||
      getsockname(listener.get(), generic, &size) != 0) {
    return CannotListen(port, errno);
  }
  return std::unique_ptr<HttpServer>(
      new HttpServer(std::move(listener), ntohs(address.sin_port)));
}

void HttpServer::Start(HttpHandler& handler) {
  handler_ = &handler;
  accepting_ = std::thread([this] { Accept(); });
}

HttpServer::~HttpServer() {
  {
    const std::lock_guard<std::mutex> lock(mutex_);
    stopping_ = true;
    for (const int fd : sockets_) shutdown(fd, SHUT_RDWR);
  }
  shutdown(listener_.get(), SHUT_RDWR);
  if (accepting_.joinable()) accepting_.join();
  std::unique_lock<std::mutex> lock(mutex_);
  ended_.wait(lock, [this] { return sockets_.empty(); });
}

void HttpServer::Accept() {
  for (;;) {
    const int fd = accept4(listener_.get(), nullptr, nullptr, SOCK_CLOEXEC);
    const int error = errno;
    {
      const std::lock_guard<std::mutex> lock(mutex_);
      if (stopping_) {
        if (fd >= 0) close(fd);
        return;
      }
    }
    if (fd >= 0) {
      Serve(fd);
    } else if (error == EMFILE || error == ENFILE || error == ENOMEM ||
               error == ENOBUFS) {
      std::this_thread::sleep_for(std::chrono::milliseconds(100));
    }
  }
}

void HttpServer::Serve(int fd) {
  const int yes = 1;
  setsockopt(fd, IPPROTO_TCP, TCP_NODELAY, &yes, sizeof(yes));
  bool served = false;
  {
    const std::lock_guard<std::mutex> lock(mutex_);
    if (sockets_.size() < kMostConnections) served = sockets_.insert(fd).second;
  }
  const auto end = [this, fd] {
    // Under the lock, so that nobody shuts down a descriptor that was reused.
    const std::lock_guard<std::mutex> lock(mutex_);
    close(fd);
    sockets_.erase(fd);
    ended_.notify_all();
  };
  if (served) {
    try {
      std::thread([this, fd, end] {
        ServeConnection(fd, *handler_);
        end();
      }).detach();
      return;
    } catch (const std::system_error&) {
      // No thread to be had.
    }
  }
  send(fd, kBusy, sizeof(kBusy) - 1, MSG_DONTWAIT | MSG_NOSIGNAL);
  end();
}

}  // namespace heaptally::view

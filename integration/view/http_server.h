// Listens on a port of 127.0.0.1 and serves each connection in a thread of its
// own, up to a limit. Thread-safe.
#ifndef HEAPTALLY_INTEGRATION_VIEW_HTTP_SERVER_H_
#define HEAPTALLY_INTEGRATION_VIEW_HTTP_SERVER_H_

#include <condition_variable>
#include <cstdint>
#include <memory>
#include <mutex>
#include <set>
#include <thread>

#include "absl/status/statusor.h"
#include "integration/view/file_handle.h"
#include "integration/view/http_message.h"

namespace heaptally::view {

class HttpServer {
 public:
  // 0: any free port.
  static absl::StatusOr<std::unique_ptr<HttpServer>> Listen(uint16_t port);

  // Ends all connections and waits for their threads.
  ~HttpServer();
  HttpServer(const HttpServer&) = delete;
  HttpServer& operator=(const HttpServer&) = delete;

  uint16_t port() const { return port_; }

  // `handler` outlives the server. Called once.
  void Start(HttpHandler& handler);

 private:
  HttpServer(FileHandle listener, uint16_t port)
      : listener_(std::move(listener)), port_(port) {}

  void Accept();
  void Serve(int socket);

  FileHandle listener_;
  const uint16_t port_;
  HttpHandler* handler_ = nullptr;
  std::thread accepting_;
  std::mutex mutex_;
  std::condition_variable ended_;
  std::set<int> sockets_;  // Of the connections that are served.
  bool stopping_ = false;
};

}  // namespace heaptally::view

#endif  // HEAPTALLY_INTEGRATION_VIEW_HTTP_SERVER_H_

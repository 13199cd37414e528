// A request and its answer, without the library that parses them: what the
// HTTP server and the page's interface say to each other. Value types.
#ifndef HEAPTALLY_INTEGRATION_VIEW_HTTP_MESSAGE_H_
#define HEAPTALLY_INTEGRATION_VIEW_HTTP_MESSAGE_H_

#include <cstdint>
#include <functional>
#include <memory>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "integration/view/file_handle.h"

namespace heaptally::view {

struct HttpRequest {
  std::string method;
  std::string target;  // As it stands in the request line.
  // Of a header that comes twice, the values joined by ", ".
  std::optional<std::string> host;
  std::optional<std::string> origin;
  std::string content_type;
  std::string accept_encoding;
  std::optional<uint64_t> content_length;
  std::string body;  // Unless it went into a file.
};

struct HttpResponse {
  unsigned status = 200;
  std::string content_type = "application/json; charset=utf-8";
  std::vector<std::pair<std::string, std::string>> headers;
  std::string body;
  // Sent in the place of `body` if it is open: `file_bytes` from its beginning.
  FileHandle file;
  uint64_t file_bytes = 0;
  // Hears that the whole answer has gone out.
  std::function<void()> when_sent;
  // The connection ends after it.
  bool last = false;
};

// Where the body of a request goes as it arrives.
class BodySink {
 public:
  virtual ~BodySink() = default;
  // False: no more is wanted, and Fault() is the answer.
  virtual bool Take(const char* bytes, size_t size) = 0;
  virtual HttpResponse Fault() = 0;
  // The whole body is there.
  virtual HttpResponse Finish() = 0;
};

// What is to become of a request whose header has been read.
struct BodyPlan {
  std::optional<HttpResponse> refusal;  // Answered without reading the body.
  std::unique_ptr<BodySink> sink;       // Takes the body and answers.
  uint64_t most_bytes = 0;              // Of a body, whichever way it goes.
};

// Answers requests; called by many threads at once.
class HttpHandler {
 public:
  virtual ~HttpHandler() = default;
  virtual BodyPlan Plan(const HttpRequest& head) = 0;
  // The answer to a request that Plan has let through without a sink.
  virtual HttpResponse Answer(const HttpRequest& request) = 0;
  // The answer to what is no request of ours: `sentence` says why.
  virtual HttpResponse Refuse(unsigned status, const std::string& sentence) = 0;
};

}  // namespace heaptally::view

#endif  // HEAPTALLY_INTEGRATION_VIEW_HTTP_MESSAGE_H_

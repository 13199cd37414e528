// The one translation unit that includes Boost.Beast.
#include "integration/view/http_connection.h"

#include <array>
#include <boost/beast/core/flat_buffer.hpp>
#include <boost/beast/http.hpp>
#include <chrono>
#include <exception>
#include <limits>
#include <string>
#include <utility>

#include "integration/view/socket_stream.h"

namespace heaptally::view {
namespace {

namespace http = boost::beast::http;
using boost::system::error_code;

constexpr size_t kMostHeaderBytes = 16384;
constexpr std::chrono::seconds kIdle{60};        // between two requests
constexpr std::chrono::seconds kStranger{5};     // before the first good one
constexpr std::chrono::seconds kHeaderTime{10};  // for the whole header
constexpr std::chrono::seconds kBodyTime{30};    // for each part of a body
constexpr std::chrono::seconds kDrainTime{2};

std::string Text(boost::beast::string_view text) {
  return {text.data(), text.size()};
}

template <typename Fields>
std::string All(const Fields& fields, http::field name) {
  std::string joined;
  const auto range = fields.equal_range(name);
  for (auto at = range.first; at != range.second; ++at) {
    if (!joined.empty()) joined += ", ";
    joined += Text(at->value());
  }
  return joined;
}

class Connection {
 public:
  Connection(int socket, HttpHandler& handler)
      : socket_(socket), stream_(socket), handler_(handler) {}

  void Run() {
    while (ServeOne()) {
    }
  }

 private:
  using Parser = http::request_parser<http::buffer_body>;

  // False when the connection is to end.
  bool ServeOne() {
    if (!AwaitRequest()) return false;
    Parser parser;
    parser.header_limit(kMostHeaderBytes);
    parser.body_limit(std::numeric_limits<uint64_t>::max());
    error_code error;
    stream_.ExpireAfter(kHeaderTime);
    http::read_header(stream_, buffer_, parser, error);
    if (error) return Malformed(error);
    keep_alive_ = parser.get().keep_alive();
    head_only_ = parser.get().method() == http::verb::head;
    HttpRequest request = HeadOf(parser);
    BodyPlan plan = handler_.Plan(request);
    if (plan.refusal.has_value()) {
      return Decline(parser.is_done(), std::move(*plan.refusal));
    }
    known_ = true;
    if (!Continue(parser)) return false;
    return plan.sink != nullptr ? IntoSink(parser, plan)
                                : IntoMemory(parser, plan, request);
  }

  // Bytes of a request are there or come within the idle time.
  bool AwaitRequest() {
    if (buffer_.size() > 0) return true;
    pollfd wait = {socket_, POLLIN, 0};
    const std::chrono::milliseconds time = known_ ? kIdle : kStranger;
    return poll(&wait, 1, static_cast<int>(time.count())) > 0;
  }

  static HttpRequest HeadOf(const Parser& parser) {
    const auto& message = parser.get();
    HttpRequest request;
    request.method = Text(message.method_string());
    request.target = Text(message.target());
    if (message.count(http::field::host) > 0) {
      request.host = All(message, http::field::host);
    }
    if (message.count(http::field::origin) > 0) {
      request.origin = All(message, http::field::origin);
    }
    request.content_type = All(message, http::field::content_type);
    request.accept_encoding = All(message, http::field::accept_encoding);
    if (const auto length = parser.content_length()) {
      request.content_length = *length;
    }
    return request;
  }

  // Whoever asks before sending a body hears that it may come.
  bool Continue(const Parser& parser) {
    if (!boost::beast::iequals(parser.get()[http::field::expect],
                               "100-continue")) {
      return true;
    }
    http::response<http::empty_body> go{http::status::continue_, 11};
    error_code error;
    stream_.ExpireAfter(kBodyTime);
    http::write(stream_, go, error);
    return !error;
  }

  // Reads the body piece by piece; `take` says whether to go on. False if it
  // did not arrive whole; then the answer has been sent.
  template <typename Take>
  bool ReadBody(Parser& parser, uint64_t most, Take take) {
    std::array<char, 65536> piece;
    uint64_t got = 0;
    while (!parser.is_done()) {
      auto& body = parser.get().body();
      body.data = piece.data();
      body.size = piece.size();
      error_code error;
      stream_.ExpireAfter(kBodyTime);
      http::read(stream_, buffer_, parser, error);
      if (error == http::error::need_buffer) error = {};
      if (error) return Malformed(error);
      const size_t n = piece.size() - body.size;
      got += n;
      if (got > most) {
        Decline(false, handler_.Refuse(413, "The request is too long."));
        return false;
      }
      if (n > 0 && !take(piece.data(), n)) return false;
    }
    return true;
  }

  bool IntoMemory(Parser& parser, const BodyPlan& plan, HttpRequest& request) {
    const bool whole =
        ReadBody(parser, plan.most_bytes, [&](const char* bytes, size_t n) {
          request.body.append(bytes, n);
          return true;
        });
    return whole && Send(handler_.Answer(request));
  }

  bool IntoSink(Parser& parser, BodyPlan& plan) {
    const bool whole =
        ReadBody(parser, plan.most_bytes, [&](const char* bytes, size_t n) {
          if (plan.sink->Take(bytes, n)) return true;
          Decline(false, plan.sink->Fault());
          return false;
        });
    return whole && Send(plan.sink->Finish());
  }

  // Answers what could not be parsed; false, for the connection ends.
  bool Malformed(const error_code& error) {
    if (error == http::error::end_of_stream ||
        error == boost::asio::error::eof ||
        error == http::error::partial_message) {
      return false;
    }
    unsigned status = 400;
    std::string sentence = "This is no HTTP request that is understood here.";
    if (error == boost::asio::error::timed_out) {
      status = 408;
      sentence = "The request did not arrive in time.";
    } else if (error == http::error::header_limit ||
               error == http::error::buffer_overflow) {
      status = 431;
      sentence = "The header of the request is too long.";
    } else if (error.category() == boost::system::system_category()) {
      return false;
    }
    return Decline(false, handler_.Refuse(status, sentence));
  }

  // An answer before the body was read ends the connection; what still arrives
  // is dropped for a moment, for closing at once would take the answer back.
  bool Decline(bool body_is_read, HttpResponse response) {
    if (body_is_read) return Send(std::move(response));
    response.last = true;
    if (!Send(std::move(response))) {
      shutdown(socket_, SHUT_WR);
      Drain();
    }
    return false;
  }

  void Drain() {
    std::array<char, 65536> dropped;
    error_code error;
    stream_.ExpireAfter(kDrainTime);
    while (!error) {
      stream_.read_some(boost::asio::buffer(dropped), error);
    }
  }

  // Whether the connection goes on.
  bool Send(HttpResponse response) {
    const uint64_t size =
        response.file.is_open() ? response.file_bytes : response.body.size();
    http::response<http::empty_body> head;
    head.version(11);
    head.result(response.status);
    head.keep_alive(keep_alive_ && !response.last);
    head.set(http::field::content_type, response.content_type);
    for (const auto& [name, value] : response.headers) head.set(name, value);
    head.content_length(size);
    http::response_serializer<http::empty_body> serializer{head};
    error_code error;
    stream_.ExpireAfter(kBodyTime);
    http::write_header(stream_, serializer, error);
    if (error) return false;
    if (!head_only_ && !SendBody(response)) return false;
    if (!head_only_ && response.when_sent) response.when_sent();
    return head.keep_alive();
  }

  bool SendBody(const HttpResponse& response) {
    if (!response.file.is_open()) {
      return SendBytes(response.body.data(), response.body.size());
    }
    std::array<char, 65536> piece;
    uint64_t left = response.file_bytes;
    while (left > 0) {
      const ssize_t n = read(response.file.get(), piece.data(),
                             std::min<uint64_t>(left, piece.size()));
      // It shrank: only the end of the connection can tell that now.
      if (n <= 0) return false;
      if (!SendBytes(piece.data(), static_cast<size_t>(n))) return false;
      left -= static_cast<uint64_t>(n);
    }
    return true;
  }

  bool SendBytes(const char* bytes, size_t size) {
    size_t sent = 0;
    while (sent < size) {
      error_code error;
      stream_.ExpireAfter(kBodyTime);
      sent += stream_.write_some(boost::asio::buffer(bytes + sent, size - sent),
                                 error);
      if (error) return false;
    }
    return true;
  }

  const int socket_;
  SocketStream stream_;
  HttpHandler& handler_;
  boost::beast::flat_buffer buffer_{kMostHeaderBytes + 65536};
  bool known_ = false;  // It has the token.
  bool keep_alive_ = false;
  bool head_only_ = false;
};

}  // namespace

void ServeConnection(int socket, HttpHandler& handler) {
  try {
    Connection(socket, handler).Run();
  } catch (const std::exception&) {
    // Libraries below us throw, for one when memory runs out: this connection
    // ends, the others go on.
  }
}

}  // namespace heaptally::view

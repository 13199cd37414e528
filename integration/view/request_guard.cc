#include "integration/view/request_guard.h"

#include <utility>

#include "absl/strings/ascii.h"
#include "absl/strings/match.h"
#include "absl/strings/str_cat.h"
#include "absl/strings/strip.h"
#include "integration/view/token.h"

namespace heaptally::view {
namespace {

constexpr char kUpload[] = "api/upload";

Verdict Refused(unsigned status, absl::string_view sentence) {
  Verdict verdict;
  verdict.status = status;
  verdict.sentence = std::string(sentence);
  return verdict;
}

// "application/json" of "Application/JSON; charset=utf-8".
std::string MediaType(absl::string_view content_type) {
  return absl::AsciiStrToLower(absl::StripAsciiWhitespace(
      content_type.substr(0, content_type.find(';'))));
}

}  // namespace

RequestGuard::RequestGuard(uint16_t port, std::string token)
    : port_(port), token_(std::move(token)) {}

std::string RequestGuard::Address() const {
  return absl::StrCat("http://127.0.0.1:", port_, "/", token_, "/");
}

bool RequestGuard::IsOwnHost(absl::string_view host) const {
  return host == absl::StrCat("127.0.0.1:", port_) ||
         absl::EqualsIgnoreCase(host, absl::StrCat("localhost:", port_));
}

bool RequestGuard::IsOwnOrigin(absl::string_view origin) const {
  return absl::ConsumePrefix(&origin, "http://") && IsOwnHost(origin);
}

Verdict RequestGuard::Judge(const HttpRequest& request) const {
  if (!request.host.has_value() || !IsOwnHost(*request.host)) {
    return Refused(403,
                   "This page answers to 127.0.0.1 and localhost only; use the "
                   "address that heaptally view printed.");
  }
  if (request.origin.has_value() && !IsOwnOrigin(*request.origin)) {
    return Refused(403, "Requests from the pages of other sites are refused.");
  }
  absl::string_view target = request.target;
  target = target.substr(0, target.find('#'));
  const size_t question = target.find('?');
  const absl::string_view query = question == absl::string_view::npos
                                      ? absl::string_view()
                                      : target.substr(question + 1);
  target = target.substr(0, question);
  absl::ConsumePrefix(&target, "/");
  const absl::string_view token = target.substr(0, target.find('/'));
  if (!SameToken(token, token_)) {
    return Refused(403,
                   "The address lacks the right token; use the address that "
                   "heaptally view printed.");
  }
  Verdict verdict;
  target.remove_prefix(token.size());
  if (!absl::ConsumePrefix(&target, "/")) {
    verdict.status = 308;  // The page's own addresses are relative.
    return verdict;
  }
  verdict.path = std::string(target);
  verdict.query = std::string(query);
  const bool reads = request.method == "GET" || request.method == "HEAD";
  if (!reads && request.method != "POST") {
    return Refused(405, "Only GET, HEAD and POST are understood.");
  }
  if (!reads) {
    const absl::string_view wanted =
        target == kUpload ? "application/octet-stream" : "application/json";
    if (MediaType(request.content_type) != wanted) {
      return Refused(415,
                     absl::StrCat("The Content-Type has to be ", wanted, "."));
    }
  }
  return verdict;
}

void RequestGuard::AddHeaders(absl::string_view policy,
                              HttpResponse& response) {
  const std::pair<const char*, absl::string_view> headers[] = {
      {"Cache-Control", "no-store"},
      {"Content-Security-Policy", policy},
      {"Cross-Origin-Opener-Policy", "same-origin"},
      {"Cross-Origin-Resource-Policy", "same-origin"},
      {"Referrer-Policy", "no-referrer"},
      {"X-Content-Type-Options", "nosniff"},
      {"X-Frame-Options", "DENY"},
  };
  for (const auto& [name, value] : headers) {
    response.headers.emplace_back(name, std::string(value));
  }
}

}  // namespace heaptally::view

// Decides which requests are the page's own. Other programs, other users and
// other sites' pages can reach the port as well; they lack the token, or the
// browser tells where they come from. Immutable; thread-safe.
#ifndef HEAPTALLY_INTEGRATION_VIEW_REQUEST_GUARD_H_
#define HEAPTALLY_INTEGRATION_VIEW_REQUEST_GUARD_H_

#include <cstdint>
#include <string>

#include "absl/strings/string_view.h"
#include "integration/view/http_message.h"

namespace heaptally::view {

struct Verdict {
  unsigned status = 200;  // 200: it may pass.
  std::string sentence;
  std::string path;   // Behind the token: "api/state"; empty for the page.
  std::string query;  // Behind the question mark.
};

class RequestGuard {
 public:
  RequestGuard(uint16_t port, std::string token);

  // http://127.0.0.1:PORT/TOKEN/
  std::string Address() const;

  Verdict Judge(const HttpRequest& request) const;

  // Adds what every answer says to the browser. `policy` is the
  // Content-Security-Policy.
  static void AddHeaders(absl::string_view policy, HttpResponse& response);

 private:
  bool IsOwnHost(absl::string_view host) const;
  bool IsOwnOrigin(absl::string_view origin) const;

  const uint16_t port_;
  const std::string token_;
};

}  // namespace heaptally::view

#endif  // HEAPTALLY_INTEGRATION_VIEW_REQUEST_GUARD_H_

// Every request to the port comes here: the guard first, then the page or its
// interface; what is refused is logged. Thread-safe.
#ifndef HEAPTALLY_INTEGRATION_VIEW_PAGE_HANDLER_H_
#define HEAPTALLY_INTEGRATION_VIEW_PAGE_HANDLER_H_

#include <string>

#include "integration/view/api.h"
#include "integration/view/event_log.h"
#include "integration/view/http_message.h"
#include "integration/view/request_guard.h"

namespace heaptally::view {

class PageHandler : public HttpHandler {
 public:
  PageHandler(RequestGuard guard, Session& session)
      : guard_(std::move(guard)), api_(session) {}

  BodyPlan Plan(const HttpRequest& head) override;
  HttpResponse Answer(const HttpRequest& request) override;
  HttpResponse Refuse(unsigned status, const std::string& sentence) override;

 private:
  HttpResponse Route(const HttpRequest& request, const Verdict& verdict);
  // With the headers that every answer has.
  static HttpResponse Sealed(HttpResponse response);

  const RequestGuard guard_;
  Api api_;
  EventLog log_;
};

}  // namespace heaptally::view

#endif  // HEAPTALLY_INTEGRATION_VIEW_PAGE_HANDLER_H_

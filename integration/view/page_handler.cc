#include "integration/view/page_handler.h"

#include <exception>
#include <utility>

#include "absl/strings/match.h"
#include "absl/strings/str_cat.h"
#include "absl/strings/strip.h"
#include "integration/view/page.h"

namespace heaptally::view {
namespace {

constexpr uint64_t kMostJsonBytes = uint64_t{1} << 20;
constexpr char kInterface[] = "api/";
constexpr char kUpload[] = "api/upload";

absl::StatusOr<ApiCall> CallOf(const Verdict& verdict,
                               const std::string& body) {
  ApiCall call;
  absl::string_view path = verdict.path;
  absl::ConsumePrefix(&path, kInterface);
  call.path = std::string(path);
  absl::StatusOr<ParameterList> parameters = ParseQueryString(verdict.query);
  if (!parameters.ok()) return parameters.status();
  call.parameters = *std::move(parameters);
  absl::StatusOr<JsonBody> parsed = JsonBody::Parse(body);
  if (!parsed.ok()) return parsed.status();
  call.body = *std::move(parsed);
  return call;
}

HttpResponse Page(const HttpRequest& request) {
  HttpResponse response;
  response.content_type = "text/html; charset=utf-8";
  response.headers.emplace_back("Vary", "Accept-Encoding");
  if (absl::StrContains(request.accept_encoding, "gzip")) {
    response.headers.emplace_back("Content-Encoding", "gzip");
    response.body = std::string(PageGzipped());
  } else {
    response.body = PagePlain();
  }
  return response;
}

}  // namespace

HttpResponse PageHandler::Sealed(HttpResponse response) {
  RequestGuard::AddHeaders(PagePolicy(), response);
  return response;
}

HttpResponse PageHandler::Refuse(unsigned status, const std::string& sentence) {
  log_.Say(absl::StrCat("refused a request (", status, "): ", sentence));
  HttpResponse response = ErrorResponse(status, sentence);
  response.last = true;
  return Sealed(std::move(response));
}

BodyPlan PageHandler::Plan(const HttpRequest& head) {
  BodyPlan plan;
  const Verdict verdict = guard_.Judge(head);
  if (verdict.status == 308) {
    HttpResponse response;
    response.status = 308;
    response.headers.emplace_back("Location", guard_.Address());
    plan.refusal = Sealed(std::move(response));
    return plan;
  }
  if (verdict.status != 200) {
    log_.Say(absl::StrCat("refused a request (", verdict.status, ") of ",
                          Harmless(head.method), " from ",
                          Harmless(head.origin.value_or("no page")), " to ",
                          Harmless(head.host.value_or("no host"))));
    HttpResponse response = ErrorResponse(verdict.status, verdict.sentence);
    if (verdict.status == 405) {
      response.headers.emplace_back("Allow", "GET, HEAD, POST");
    }
    plan.refusal = Sealed(std::move(response));
    return plan;
  }
  if (head.method == "POST" && verdict.path == kUpload) {
    const absl::StatusOr<ApiCall> call = CallOf(verdict, "");
    if (!call.ok()) {
      plan.refusal = Sealed(ErrorResponse(call.status()));
      return plan;
    }
    plan = api_.Upload(*call, head.content_length);
    if (plan.refusal.has_value()) {
      plan.refusal = Sealed(std::move(*plan.refusal));
    }
    return plan;
  }
  plan.most_bytes = kMostJsonBytes;
  if (head.content_length.value_or(0) > kMostJsonBytes) {
    plan.refusal = Refuse(413, "The request is too long.");
  }
  return plan;
}

HttpResponse PageHandler::Answer(const HttpRequest& request) {
  try {
    return Sealed(Route(request, guard_.Judge(request)));
  } catch (const std::exception& error) {
    // Libraries below us throw, for one when memory runs out.
    log_.Say(absl::StrCat("a request could not be answered: ", error.what()));
    return Sealed(ErrorResponse(
        500, absl::StrCat("It could not be done: ", error.what(), ".")));
  }
}

HttpResponse PageHandler::Route(const HttpRequest& request,
                                const Verdict& verdict) {
  const bool posts = request.method == "POST";
  if (verdict.path.empty()) {
    return posts ? ErrorResponse(405, "The page itself is only to be read.")
                 : Page(request);
  }
  if (!absl::StartsWith(verdict.path, kInterface)) {
    return ErrorResponse(404, "There is nothing at this address.");
  }
  const absl::StatusOr<ApiCall> call =
      CallOf(verdict, posts ? request.body : "");
  if (!call.ok()) return ErrorResponse(call.status());
  return posts ? api_.Post(*call) : api_.Get(*call);
}

}  // namespace heaptally::view

// The interface of the page: what stands behind the token in the address. Only
// requests that the guard let pass come here. Thread-safe.
#ifndef HEAPTALLY_INTEGRATION_VIEW_API_H_
#define HEAPTALLY_INTEGRATION_VIEW_API_H_

#include <memory>
#include <string>

#include "absl/strings/string_view.h"
#include "integration/view/http_message.h"
#include "integration/view/json_body.h"
#include "integration/view/query_string.h"
#include "integration/view/session.h"

namespace heaptally::view {

struct ApiCall {
  std::string path;  // Behind "api/".
  ParameterList parameters;
  JsonBody body;  // Of a POST.
};

class Api {
 public:
  explicit Api(Session& session) : session_(session) {}

  HttpResponse Get(const ApiCall& call);
  HttpResponse Post(const ApiCall& call);
  // Where the body of an upload goes, or why not.
  BodyPlan Upload(const ApiCall& call, std::optional<uint64_t> bytes);

 private:
  // `name`: what the file is to be called, if not as the entry.
  HttpResponse Download(const std::string& entry, absl::string_view name);
  HttpResponse Take(const JsonBody& body);
  HttpResponse Record(const JsonBody& body);
  HttpResponse ResetPeak(const JsonBody& body);
  HttpResponse ChangeEntry(const std::string& id, const std::string& verb,
                           const JsonBody& body);
  HttpResponse CancelTask(const std::string& id);
  HttpResponse ProcessReply(pid_t pid);

  Session& session_;
};

// The analyses (api_analyses.cc): whether `path` is one of them, and its
// answer.
bool IsAnalysis(const std::string& path);
HttpResponse AnswerAnalysis(Session& session, const ApiCall& call);

// {"error":"..."} with the status that fits.
HttpResponse ErrorResponse(const absl::Status& status);
HttpResponse ErrorResponse(unsigned status, absl::string_view sentence);
// {"key":"value"}
HttpResponse TextResponse(absl::string_view key, absl::string_view value);

}  // namespace heaptally::view

#endif  // HEAPTALLY_INTEGRATION_VIEW_API_H_

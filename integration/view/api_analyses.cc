// The part of the interface that asks about snapshots: parameters in, JSON of
// the analyses out.
#include <sstream>
#include <utility>

#include "absl/strings/match.h"
#include "absl/strings/numbers.h"
#include "absl/strings/str_cat.h"
#include "integration/view/api.h"
#include "snapshot/json_writer.h"
#include "snapshot/query.h"
#include "snapshot/view_json.h"

namespace heaptally::view {
namespace {

// Of a table; written to `out` if the status is OK.
absl::Status WriteOfTable(const std::string& path, RowTable& table,
                          Parameters parameters, std::ostream& out) {
  if (path == "rows") {
    const absl::StatusOr<RowsRequest> request = ParseRowsRequest(parameters);
    if (!request.ok()) return request.status();
    return RowsJson(table, *request, out);
  }
  if (path == "tree") {
    const absl::StatusOr<TreeRequest> request = ParseTreeRequest(parameters);
    if (!request.ok()) return request.status();
    return TreeJson(table, *request, out);
  }
  const absl::StatusOr<IndividualsRequest> request =
      ParseIndividualsRequest(parameters);
  if (!request.ok()) return request.status();
  return IndividualsJson(table, *request, out);
}

absl::Status WriteSource(const Session& session, const Analysis& analysis,
                         Parameters parameters, std::ostream& out) {
  const std::string file(Parameter(parameters, "file"));
  uint64_t line = 0;
  if (file.empty() || absl::StrContains(file, '\0') ||
      !absl::SimpleAtoi(Parameter(parameters, "line"), &line) || line == 0 ||
      line > UINT32_MAX) {
    return absl::InvalidArgumentError(
        "file and line have to name a line of source");
  }
  if (!NamesFile(analysis.snapshot(), file) &&
      (analysis.baseline() == nullptr ||
       !NamesFile(*analysis.baseline(), file))) {
    return absl::NotFoundError("no frame of the snapshot is in this file");
  }
  const absl::StatusOr<SourceLines> source = session.sources().Read(file, line);
  JsonWriter json(out);
  json.BeginObject();
  if (source.ok()) {
    json.Key("path").String(source->path);
    json.Key("first").Number(source->first);
    json.Key("lines").BeginArray();
    for (const std::string& text : source->lines) json.String(text);
    json.EndArray();
    json.Key("line").Number(line);
  } else {
    json.Key("missing").String(absl::string_view(
        source.status().message().data(), source.status().message().size()));
  }
  json.EndObject();
  return absl::OkStatus();
}

absl::Status WriteAnswer(Session& session, const std::string& of,
                         std::shared_ptr<const Analysis> analysis,
                         const ApiCall& call, std::ostream& out) {
  const Parameters parameters = call.parameters;
  if (call.path == "source") {
    return WriteSource(session, *analysis, parameters, out);
  }
  if (call.path == "stack") {
    const absl::StatusOr<StackRequest> request = ParseStackRequest(parameters);
    if (!request.ok()) return request.status();
    return StackJson(*analysis, *request, out);
  }
  const absl::StatusOr<Query> query = ParseQuery(parameters);
  if (!query.ok()) return query.status();
  if (call.path == "summary") return SummaryJson(*analysis, *query, out);
  const absl::StatusOr<std::shared_ptr<RowTable>> table =
      session.cache().Table(of, std::move(analysis), *query);
  if (!table.ok()) return table.status();
  return WriteOfTable(call.path, **table, parameters, out);
}

}  // namespace

bool IsAnalysis(const std::string& path) {
  for (const char* known :
       {"rows", "tree", "individuals", "stack", "summary", "source"}) {
    if (path == known) return true;
  }
  return false;
}

HttpResponse AnswerAnalysis(Session& session, const ApiCall& call) {
  const std::string of(Parameter(call.parameters, "of"));
  absl::StatusOr<Session::Opened> opened = session.Open(of);
  if (!opened.ok()) return ErrorResponse(opened.status());
  if (opened->analysis == nullptr) {
    HttpResponse response = TextResponse("task", opened->task);
    response.status = 202;
    return response;
  }
  std::ostringstream out;
  const absl::Status status =
      WriteAnswer(session, of, std::move(opened->analysis), call, out);
  if (!status.ok()) return ErrorResponse(status);
  HttpResponse response;
  response.body = std::move(out).str();
  return response;
}

}  // namespace heaptally::view

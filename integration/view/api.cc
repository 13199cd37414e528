#include "integration/view/api.h"

#include <sstream>
#include <utility>
#include <vector>

#include "absl/strings/str_cat.h"
#include "absl/strings/str_split.h"
#include "integration/view/download_name.h"
#include "integration/view/sentence.h"
#include "integration/view/state_json.h"
#include "integration/view/upload.h"
#include "snapshot/json_writer.h"
#include "snapshot/query.h"

namespace heaptally::view {
namespace {

HttpResponse NoSuchCall() {
  return ErrorResponse(404, "There is nothing at this address.");
}

HttpResponse Done() { return TextResponse("state", "done"); }

HttpResponse DoneOr(const absl::Status& status) {
  return status.ok() ? Done() : ErrorResponse(status);
}

// {"entries", "3", "save"} of "entries/3/save".
std::vector<std::string> PartsOf(const std::string& path) {
  return absl::StrSplit(path, '/');
}

absl::StatusOr<pid_t> PidOf(const JsonBody& body) {
  const int64_t pid = body.Number("pid");
  if (pid <= 0 || pid > INT32_MAX) {
    return absl::InvalidArgumentError(
        "pid has to be the id of a process; heaptally ps lists them");
  }
  return static_cast<pid_t>(pid);
}

}  // namespace

HttpResponse ErrorResponse(unsigned status, absl::string_view sentence) {
  HttpResponse response = TextResponse("error", sentence);
  response.status = status;
  return response;
}

HttpResponse ErrorResponse(const absl::Status& status) {
  const absl::string_view message(status.message().data(),
                                  status.message().size());
  return ErrorResponse(HttpStatusOf(status), Sentence(message));
}

HttpResponse TextResponse(absl::string_view key, absl::string_view value) {
  std::ostringstream out;
  JsonWriter json(out);
  json.BeginObject(true);
  json.Key(key).String(value);
  json.EndObject();
  HttpResponse response;
  response.body = out.str();
  return response;
}

HttpResponse Api::Get(const ApiCall& call) {
  if (call.path == "state") {
    std::ostringstream out;
    WriteStateJson(session_, out);
    HttpResponse response;
    response.body = std::move(out).str();
    return response;
  }
  if (IsAnalysis(call.path)) return AnswerAnalysis(session_, call);
  const std::vector<std::string> parts = PartsOf(call.path);
  if (parts.size() == 3 && parts[0] == "entries" && parts[2] == "download") {
    return Download(parts[1], Parameter(call.parameters, "name"));
  }
  return NoSuchCall();
}

HttpResponse Api::Post(const ApiCall& call) {
  const std::string& path = call.path;
  if (path == "take") return Take(call.body);
  if (path == "record") return Record(call.body);
  if (path == "reset-peak") return ResetPeak(call.body);
  if (path == "load") {
    const std::string* file = call.body.Text("path");
    const absl::StatusOr<std::string> task =
        session_.Load(file == nullptr ? "" : *file);
    return task.ok() ? TextResponse("task", *task)
                     : ErrorResponse(task.status());
  }
  if (path == "clear-all") {
    for (const Entry& entry : session_.entries().All()) {
      if (entry.state == EntryState::kPending) {
        session_.Clear(entry.id).IgnoreError();
      }
    }
    session_.entries().ClearAll();
    return Done();
  }
  if (path == "restore-all") {
    session_.entries().RestoreAll();
    return Done();
  }
  const std::vector<std::string> parts = PartsOf(path);
  if (parts.size() != 3) return NoSuchCall();
  if (parts[0] == "entries") return ChangeEntry(parts[1], parts[2], call.body);
  if (parts[0] == "tasks" && parts[2] == "cancel") return CancelTask(parts[1]);
  return NoSuchCall();
}

HttpResponse Api::Take(const JsonBody& body) {
  const absl::StatusOr<pid_t> pid = PidOf(body);
  if (!pid.ok()) return ErrorResponse(pid.status());
  const std::string* name = body.Text("name");
  const absl::StatusOr<std::string> task =
      session_.Take(*pid, name == nullptr ? "" : *name);
  return task.ok() ? TextResponse("task", *task) : ErrorResponse(task.status());
}

HttpResponse Api::ProcessReply(pid_t pid) {
  std::ostringstream out;
  JsonWriter json(out);
  json.BeginObject();
  session_.processes().WriteOneJson(pid, json.Key("process"));
  json.EndObject();
  HttpResponse response;
  response.body = out.str();
  return response;
}

HttpResponse Api::Record(const JsonBody& body) {
  const absl::StatusOr<pid_t> pid = PidOf(body);
  if (!pid.ok()) return ErrorResponse(pid.status());
  const std::string* mode = body.Text("mode");
  const absl::Status status =
      session_.processes().Record(*pid, mode == nullptr ? "" : *mode);
  return status.ok() ? ProcessReply(*pid) : ErrorResponse(status);
}

HttpResponse Api::ResetPeak(const JsonBody& body) {
  const absl::StatusOr<pid_t> pid = PidOf(body);
  if (!pid.ok()) return ErrorResponse(pid.status());
  const absl::Status status = session_.processes().ResetPeak(*pid);
  return status.ok() ? ProcessReply(*pid) : ErrorResponse(status);
}

HttpResponse Api::ChangeEntry(const std::string& id, const std::string& verb,
                              const JsonBody& body) {
  if (verb == "edit") {
    return DoneOr(session_.Edit(id, body.Text("name"), body.Text("note")));
  }
  if (verb == "clear") return DoneOr(session_.Clear(id));
  if (verb == "restore") return DoneOr(session_.Restore(id));
  if (verb != "save") return NoSuchCall();
  const std::string* path = body.Text("path");
  const absl::StatusOr<std::string> saved =
      session_.Save(id, path == nullptr ? "" : *path, body.Flag("overwrite"));
  return saved.ok() ? TextResponse("path", *saved)
                    : ErrorResponse(saved.status());
}

HttpResponse Api::CancelTask(const std::string& id) {
  const std::shared_ptr<Task> task = session_.tasks().Find(id);
  if (task == nullptr) {
    return ErrorResponse(404, "There is no such task; it has ended.");
  }
  task->Cancel();
  return Done();
}

HttpResponse Api::Download(const std::string& id, absl::string_view name) {
  absl::StatusOr<Session::Download> download = session_.Offer(id);
  if (!download.ok()) return ErrorResponse(download.status());
  HttpResponse response;
  response.content_type = "application/octet-stream";
  response.headers.emplace_back(
      "Content-Disposition",
      AttachmentHeader(name.empty() ? download->name : name));
  response.file = std::move(download->file);
  response.file_bytes = download->bytes;
  response.when_sent = [this, id, words = download->words] {
    session_.entries().Change(id, [&words](Entry& entry) {
      entry.kept = true;
      entry.when_kept = words;
    });
  };
  return response;
}

BodyPlan Api::Upload(const ApiCall& call, std::optional<uint64_t> bytes) {
  const Parameters parameters = call.parameters;
  std::string name(Parameter(parameters, "name", "upload.heaptally"));
  return PlanUpload(session_, std::move(name), bytes);
}

}  // namespace heaptally::view

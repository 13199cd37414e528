#include "integration/view/upload.h"

#include <errno.h>
#include <fcntl.h>
#include <string.h>
#include <unistd.h>

#include <utility>

#include "absl/strings/str_cat.h"
#include "integration/view/api.h"
#include "snapshot/text_format.h"

namespace heaptally::view {
namespace {

// Of the disk's free bytes, what is left to others.
constexpr uint64_t kLeftFree = uint64_t{16} << 20;

class UploadSink : public BodySink {
 public:
  UploadSink(Session& session, std::string name, std::string entry,
             const std::string& file)
      : session_(session), name_(std::move(name)), entry_(std::move(entry)) {
    file_ = FileHandle(
        open(file.c_str(), O_WRONLY | O_CREAT | O_EXCL | O_CLOEXEC | O_NOFOLLOW,
             0600));
    if (!file_.is_open()) error_ = errno;
  }

  // An upload that was broken off leaves nothing.
  ~UploadSink() override {
    if (!adopted_) session_.Forget(entry_);
  }

  bool Take(const char* bytes, size_t size) override {
    while (error_ == 0 && size > 0) {
      const ssize_t n = write(file_.get(), bytes, size);
      if (n < 0 && errno != EINTR) error_ = errno;
      if (n <= 0) continue;
      bytes += n;
      size -= static_cast<size_t>(n);
    }
    return error_ == 0;
  }

  HttpResponse Fault() override {
    return ErrorResponse(
        507, absl::StrCat(name_, " could not be received: ", strerror(error_),
                          "; make room in ", session_.folder().path(),
                          ", or start heaptally view with the file."));
  }

  HttpResponse Finish() override {
    if (error_ == 0 && !file_.Close()) error_ = errno;
    if (error_ != 0) return Fault();
    adopted_ = true;
    return TextResponse("task", session_.Adopt(entry_, name_));
  }

 private:
  Session& session_;
  const std::string name_;
  const std::string entry_;
  FileHandle file_;
  int error_ = 0;
  bool adopted_ = false;
};

}  // namespace

BodyPlan PlanUpload(Session& session, std::string name,
                    std::optional<uint64_t> bytes) {
  BodyPlan plan;
  name = SafeText(name.substr(name.find_last_of("/\\") + 1));
  if (name.empty()) name = "upload.heaptally";
  const uint64_t free = session.folder().FreeBytes();
  plan.most_bytes = free > kLeftFree ? free - kLeftFree : 0;
  const uint64_t size = bytes.value_or(0);
  if (size > plan.most_bytes) {
    plan.refusal = ErrorResponse(
        507, absl::StrCat(name, " has ", BytesText(size), ", and ",
                          session.folder().path(), " has room for ",
                          BytesText(plan.most_bytes),
                          "; start heaptally view with the file instead."));
    return plan;
  }
  std::string file;
  const std::string entry = session.Expect(name, &file);
  plan.sink =
      std::make_unique<UploadSink>(session, std::move(name), entry, file);
  return plan;
}

}  // namespace heaptally::view

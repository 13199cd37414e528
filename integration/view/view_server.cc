#include "integration/view/view_server.h"

#include <signal.h>
#include <sys/stat.h>
#include <unistd.h>

#include <chrono>
#include <filesystem>
#include <memory>
#include <system_error>
#include <thread>

#include "absl/strings/str_cat.h"
#include "integration/view/browser.h"
#include "integration/view/ending.h"
#include "integration/view/http_server.h"
#include "integration/view/page_handler.h"
#include "integration/view/session.h"
#include "integration/view/token.h"

namespace heaptally::view {
namespace {

constexpr std::chrono::seconds kLongestEnd{3};

// What is not there is said before the page opens; what is there but cannot be
// read becomes an entry that says so.
absl::Status CheckFiles(const std::vector<std::string>& files) {
  for (const std::string& file : files) {
    struct stat info = {};
    if (stat(file.c_str(), &info) != 0) {
      return absl::NotFoundError(absl::StrCat(
          "there is no file ", file, "; name snapshots or process ids"));
    }
  }
  return absl::OkStatus();
}

absl::Status CheckProcesses(const ViewOptions& options) {
  for (const pid_t pid : options.processes) {
    absl::Status status =
        control::Client::Connect(pid, options.socket_directory).status();
    if (absl::IsNotFound(status)) {
      return absl::NotFoundError(
          absl::StrCat(std::string(status.message()),
                       "; heaptally ps lists the processes under heaptally"));
    }
    if (!status.ok()) return status;
  }
  return absl::OkStatus();
}

absl::StatusOr<std::unique_ptr<Session>> MakeSession(
    const ViewOptions& options) {
  absl::StatusOr<SourceFolders> sources =
      SourceFolders::Create(options.sources, options.source_maps);
  if (!sources.ok()) return sources.status();
  SessionOptions session;
  session.version = options.version;
  session.socket_directory = options.socket_directory;
  session.first_processes = options.processes;
  session.sources = *std::move(sources);
  return Session::Create(std::move(session));
}

std::vector<std::string> UnsavedNames(const Session& session) {
  std::vector<std::string> names;
  for (const Entry& entry : session.entries().Unsaved()) {
    names.push_back(entry.name);
  }
  return names;
}

}  // namespace

absl::Status ServeView(const ViewOptions& options,
                       const std::function<void(const std::string&)>& address,
                       const std::function<void(const std::string&)>& say) {
  absl::Status status = CheckFiles(options.files);
  if (status.ok()) status = CheckProcesses(options);
  if (!status.ok()) return status;
  // Writing beyond a limit is an error of the write, and no end of ours.
  signal(SIGXFSZ, SIG_IGN);
  const Ending ending;
  absl::StatusOr<std::unique_ptr<HttpServer>> server =
      HttpServer::Listen(options.port);
  if (!server.ok()) return server.status();
  absl::StatusOr<std::unique_ptr<Session>> session = MakeSession(options);
  if (!session.ok()) return session.status();
  const RequestGuard guard((*server)->port(), MakeToken());
  PageHandler handler(guard, **session);
  for (const std::string& file : options.files) {
    status = (*session)->Load(file).status();
    if (!status.ok()) return status;
  }
  (*server)->Start(handler);
  address(guard.Address());
  if (!(*session)->folder().recovered().empty()) {
    say((*session)->folder().recovered());
  }
  if (options.open_browser && CanOpenBrowser() &&
      !OpenBrowser(guard.Address())) {
    say("the browser could not be started; open the address in it");
  }
  ending.Await([&session] { return UnsavedNames(**session); }, say);
  // A request that takes long must not keep the tool: what it owns on disk goes
  // here as well.
  std::thread([folder = (*session)->folder().path()] {
    std::this_thread::sleep_for(kLongestEnd);
    std::error_code ignored;
    std::filesystem::remove_all(folder, ignored);
    _exit(0);
  }).detach();
  // The connections first: their requests use all the rest.
  server->reset();
  return absl::OkStatus();
}

}  // namespace heaptally::view

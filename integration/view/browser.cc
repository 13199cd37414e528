#include "integration/view/browser.h"

#include <fcntl.h>
#include <signal.h>
#include <spawn.h>
#include <stdlib.h>
#include <sys/wait.h>
#include <unistd.h>

#include <array>
#include <thread>

#include "absl/strings/str_cat.h"
#include "absl/strings/str_split.h"

extern char** environ;

namespace heaptally::view {
namespace {

constexpr char kOpener[] = "xdg-open";

bool IsSet(const char* name) {
  const char* value = getenv(name);
  return value != nullptr && value[0] != '\0';
}

std::string FindOpener() {
  const char* path = getenv("PATH");
  for (const absl::string_view folder :
       absl::StrSplit(path == nullptr ? "" : path, ':')) {
    std::string file = absl::StrCat(folder, "/", kOpener);
    if (!folder.empty() && access(file.c_str(), X_OK) == 0) return file;
  }
  return "";
}

}  // namespace

bool CanOpenBrowser() {
  return (IsSet("DISPLAY") || IsSet("WAYLAND_DISPLAY")) &&
         !FindOpener().empty();
}

bool OpenBrowser(const std::string& address) {
  const std::string opener = FindOpener();
  posix_spawn_file_actions_t actions;
  posix_spawn_file_actions_init(&actions);
  // What a browser has to say is not for our terminal.
  for (const int fd : {0, 1, 2}) {
    posix_spawn_file_actions_addopen(&actions, fd, "/dev/null", O_RDWR, 0);
  }
  posix_spawnattr_t attributes;
  posix_spawnattr_init(&attributes);
  sigset_t none, all;
  sigemptyset(&none);
  sigfillset(&all);
  posix_spawnattr_setsigmask(&attributes, &none);
  posix_spawnattr_setsigdefault(&attributes, &all);
  // Ctrl-C is for us alone.
  posix_spawnattr_setpgroup(&attributes, 0);
  posix_spawnattr_setflags(&attributes, POSIX_SPAWN_SETSIGMASK |
                                            POSIX_SPAWN_SETSIGDEF |
                                            POSIX_SPAWN_SETPGROUP);
  std::string name = kOpener;
  std::string argument = address;
  std::array<char*, 3> words = {name.data(), argument.data(), nullptr};
  pid_t pid = 0;
  const bool started = posix_spawn(&pid, opener.c_str(), &actions, &attributes,
                                   words.data(), environ) == 0;
  posix_spawnattr_destroy(&attributes);
  posix_spawn_file_actions_destroy(&actions);
  if (started) {
    std::thread([pid] { waitpid(pid, nullptr, 0); }).detach();
  }
  return started;
}

}  // namespace heaptally::view

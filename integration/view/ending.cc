#include "integration/view/ending.h"

#include <time.h>

#include "absl/strings/str_cat.h"
#include "absl/strings/str_join.h"
#include "snapshot/text_format.h"

namespace heaptally::view {
namespace {

constexpr int kGraceSeconds = 5;
constexpr size_t kMostNames = 10;

std::string Warning(const std::vector<std::string>& names) {
  std::vector<std::string> shown;
  for (const std::string& name : names) {
    if (shown.size() == kMostNames) break;
    shown.push_back(absl::StrCat("\"", SafeText(name), "\""));
  }
  std::string list = absl::StrJoin(shown, ", ");
  if (names.size() > shown.size()) {
    absl::StrAppend(&list, " and ", names.size() - shown.size(), " more");
  }
  return absl::StrCat(
      names.size() == 1 ? "one snapshot is"
                        : absl::StrCat(names.size(), " snapshots are"),
      " not saved: ", list, "; save ", names.size() == 1 ? "it" : "them",
      " in the page, or press Ctrl-C again within ", kGraceSeconds,
      " seconds to discard ", names.size() == 1 ? "it" : "them");
}

}  // namespace

Ending::Ending() {
  sigemptyset(&signals_);
  for (const int signal : {SIGINT, SIGTERM, SIGHUP}) {
    // Under nohup a closed terminal is no reason to end.
    struct sigaction now = {};
    const bool ignored = sigaction(signal, nullptr, &now) == 0 &&
                         now.sa_handler == SIG_IGN && signal == SIGHUP;
    if (!ignored) sigaddset(&signals_, signal);
  }
  pthread_sigmask(SIG_BLOCK, &signals_, &before_);
}

Ending::~Ending() {
  // One that is still pending must not end us before all is tidied up.
  const timespec now = {0, 0};
  while (sigtimedwait(&signals_, nullptr, &now) > 0) {
  }
  pthread_sigmask(SIG_SETMASK, &before_, nullptr);
}

void Ending::Await(const std::function<std::vector<std::string>()>& unsaved,
                   const std::function<void(const std::string&)>& say) const {
  for (;;) {
    int signal = sigwaitinfo(&signals_, nullptr);
    if (signal < 0) continue;  // Interrupted by another one.
    if (signal != SIGINT) return;
    const std::vector<std::string> names = unsaved();
    if (names.empty()) return;
    say(Warning(names));
    const timespec grace = {kGraceSeconds, 0};
    signal = sigtimedwait(&signals_, nullptr, &grace);
    if (signal > 0) return;
    say("going on; the page is still there");
  }
}

}  // namespace heaptally::view

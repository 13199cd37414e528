// How the tool ends: a first Ctrl-C that would discard snapshots asks for a
// second one; SIGTERM and SIGHUP end at once. Used by the main thread, which
// blocks the signals before it starts others.
#ifndef HEAPTALLY_INTEGRATION_VIEW_ENDING_H_
#define HEAPTALLY_INTEGRATION_VIEW_ENDING_H_

#include <signal.h>

#include <functional>
#include <string>
#include <vector>

namespace heaptally::view {

class Ending {
 public:
  // From here on the signals wait, in this thread and those it starts.
  Ending();
  // As it was before.
  ~Ending();
  Ending(const Ending&) = delete;
  Ending& operator=(const Ending&) = delete;

  // Returns when it is time to end. `unsaved` tells the names of the snapshots
  // that would be lost, `say` writes a line for the user.
  void Await(const std::function<std::vector<std::string>()>& unsaved,
             const std::function<void(const std::string&)>& say) const;

 private:
  sigset_t signals_;
  sigset_t before_;
};

}  // namespace heaptally::view

#endif  // HEAPTALLY_INTEGRATION_VIEW_ENDING_H_

// What the runtime does by itself when the program begins and ends: opens the
// control socket, and takes the snapshot at exit. Constructor and destructor of
// the runtime; by then the heap has long been up. A program's atexit handlers
// and the destructors of its own statics have run before the destructor.
#include <unistd.h>

#include "accounting/options.h"
#include "allocator/runtime.h"
#include "integration/control/server.h"
#include "snapshot/capture_at_exit.h"

namespace heaptally {
namespace {

[[gnu::constructor]] void ProgramBegins() {
  InitRuntime();
  BeginRecording();
  InitCaptureAtExit();
  StartControlServer();
  SetForkChildHook(StartControlServer);
  if (GlobalOptions().clean_environment) CleanEnvironment(environ);
}

[[gnu::destructor]] void ProgramEnds() {
  CaptureAtExit();
  RemoveControlSocket();
}

}  // namespace
}  // namespace heaptally

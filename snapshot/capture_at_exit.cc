#include "snapshot/capture_at_exit.h"

#include <errno.h>

#include "accounting/options.h"
#include "accounting/sys_io.h"
#include "snapshot/capture_packer.h"
#include "snapshot/capture_to_path.h"

namespace heaptally {
namespace {

// How often the snapshot is tried while another one is being taken, 10 ms
// apart.
constexpr int kPatience = 3000;

int first_pid;
char directory[kMaxCapturePath];  // ends in '/'; empty: unknown

bool NamesProcess(const char* name) {
  for (; *name != '\0'; ++name) {
    if (name[0] == '%' && name[1] == 'p') return true;
  }
  return false;
}

// The option's name made absolute, with %p replaced.
bool ExpandName(const char* name, char* out, size_t size) {
  TextWriter writer(out, size);
  if (name[0] != '/') writer.Text(directory);
  for (; *name != '\0'; ++name) {
    if (name[0] == '%' && name[1] == 'p') {
      writer.Unsigned(static_cast<uint64_t>(sys::GetPid()));
      ++name;
    } else {
      writer.Char(*name);
    }
  }
  writer.Char('\0');
  return !writer.cut();
}

void Report(const char* path, const char* problem) {
  char sentence[kMaxCapturePath + 200];
  TextWriter writer(sentence, sizeof(sentence) - 1);
  writer.Text("the snapshot at exit was not written to ");
  writer.Text(path).Text(": ").Text(problem);
  sentence[writer.size()] = '\0';
  sys::Complain(sentence);
}

}  // namespace

void InitCaptureAtExit() {
  first_pid = sys::GetPid();
  const intptr_t n = sys::Call(SYS_getcwd, sys::Arg(directory),
                               sizeof(directory) - 1);  // counts the NUL
  if (n > 1 && directory[0] == '/') {
    directory[n - 1] = '/';
    directory[n] = '\0';
  } else {
    directory[0] = '\0';
  }
}

void CaptureAtExit() {
  const Options& options = GlobalOptions();
  if (options.at_exit[0] == '\0') return;
  if (first_pid != sys::GetPid() && !NamesProcess(options.at_exit)) return;
  char path[kMaxCapturePath];
  if (!ExpandName(options.at_exit, path, sizeof(path))) {
    Report(options.at_exit, "the file name is too long");
    return;
  }
  CaptureOptions at_exit;
  at_exit.label = "at exit";
  at_exit.label_size = TextLength(at_exit.label);
  CaptureResult result = CaptureToPath(path, at_exit);
  for (int i = 0; result.error == EBUSY && i < kPatience; ++i) {
    timespec pause = {0, 10 * 1000 * 1000};
    sys::Call(SYS_nanosleep, sys::Arg(&pause), 0);
    result = CaptureToPath(path, at_exit);
  }
  if (result.error != 0) {
    Report(path, result.problem);
  } else if (options.packer[0] != '\0') {
    RunPacker(options.packer, path);
  }
}

}  // namespace heaptally

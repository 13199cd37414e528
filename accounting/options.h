// The runtime's options, read once from the environment variable HEAPTALLY
// before the first block is handed out. Ignored in set-user-id programs.
// Works before the C library is set up; allocates nothing.
#ifndef HEAPTALLY_ACCOUNTING_OPTIONS_H_
#define HEAPTALLY_ACCOUNTING_OPTIONS_H_

#include <cstddef>
#include <cstdint>

#include "accounting/recording.h"

namespace heaptally {

inline constexpr size_t kMaxOptionPath = 1024;

struct Options {
  RecordingMode mode = RecordingMode::kCounters;
  uint64_t sample_interval = 0;
  uint32_t depth = 512;
  uint64_t min_size = 0;
  bool control = false;
  bool clean_environment = false;
  uint32_t max_tracebacks = (1u << 28) - 17;
  char at_exit[kMaxOptionPath] = "";
  char socket_dir[kMaxOptionPath] = "";
  char packer[kMaxOptionPath] = "";
};

// Parses a comma-separated list into `options`. Each unknown option or bad
// value is left at its default and named once on stderr.
void ParseOptions(const char* text, Options* options);

// Parses `counters`, `sampled=N` or `all`; false if it is none of them.
bool ParseMode(const char* text, size_t length, RecordingMode* mode,
               uint64_t* interval);

// The process's options; filled by LoadOptions.
const Options& GlobalOptions();

// Reads HEAPTALLY from the initial environment block on the stack.
void LoadOptions();

// Takes our traces out of the environment (option env=clean). `environment` is
// the null-terminated array that main gets; strings are edited in place.
void CleanEnvironment(char** environment);

}  // namespace heaptally

#endif  // HEAPTALLY_ACCOUNTING_OPTIONS_H_

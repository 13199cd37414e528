#include "accounting/options.h"

#include <sys/auxv.h>
#include <unistd.h>

#include "accounting/sys_io.h"
#include "accounting/text_writer.h"

// The stack as the kernel laid it out: argc, argv, null, environment, null,
// auxiliary vector. Set by the loader before anything can allocate.
extern "C" void* __libc_stack_end;

namespace heaptally {
namespace {

constexpr char kVariable[] = "HEAPTALLY=";
constexpr char kPreload[] = "LD_PRELOAD=";
constexpr uint32_t kMaxDepth = 4096;

Options global_options;

// A piece of the option text; not terminated.
struct Piece {
  const char* begin;
  size_t length;

  bool operator==(const char* text) const {
    size_t i = 0;
    while (i < length && text[i] != '\0' && text[i] == begin[i]) ++i;
    return i == length && text[i] == '\0';
  }
};

bool StartsWith(const char* text, const char* prefix) {
  while (*prefix != '\0') {
    if (*text++ != *prefix++) return false;
  }
  return true;
}

// The multiplier of a size suffix: K, M, G, KB.. or KiB..; 0 if it is none.
uint64_t SuffixFactor(Piece suffix) {
  if (suffix.length == 0) return 1;
  uint64_t factor = 0;
  if (suffix.begin[0] == 'K' || suffix.begin[0] == 'k') factor = 1 << 10;
  if (suffix.begin[0] == 'M' || suffix.begin[0] == 'm') factor = 1 << 20;
  if (suffix.begin[0] == 'G' || suffix.begin[0] == 'g') factor = 1 << 30;
  const Piece rest{suffix.begin + 1, suffix.length - 1};
  return rest.length == 0 || rest == "iB" || rest == "B" ? factor : 0;
}

bool ParseNumber(Piece text, uint64_t* value) {
  uint64_t number = 0;
  size_t i = 0;
  for (; i < text.length && text.begin[i] >= '0' && text.begin[i] <= '9'; ++i) {
    if (number > (uint64_t{1} << 56)) return false;
    number = number * 10 + static_cast<uint64_t>(text.begin[i] - '0');
  }
  const uint64_t factor = SuffixFactor({text.begin + i, text.length - i});
  if (i == 0 || factor == 0 || number > UINT64_MAX / factor) return false;
  *value = number * factor;
  return true;
}

bool ParsePath(Piece text, char* path) {
  if (text.length == 0 || text.length >= kMaxOptionPath) return false;
  for (size_t i = 0; i < text.length; ++i) path[i] = text.begin[i];
  path[text.length] = '\0';
  return true;
}

bool ParseSwitch(Piece text, const char* on, const char* off, bool* value) {
  if (!(text == on) && !(text == off)) return false;
  *value = text == on;
  return true;
}

bool ParseNumberWithin(Piece text, uint64_t low, uint64_t high,
                       uint64_t* value) {
  return ParseNumber(text, value) && *value >= low && *value <= high;
}

enum class Outcome { kSet, kBadValue, kUnknown };

Outcome Result(bool good) { return good ? Outcome::kSet : Outcome::kBadValue; }

Outcome SetOption(Piece name, Piece value, Options* o) {
  uint64_t number = 0;
  if (name == "mode") {
    return Result(
        ParseMode(value.begin, value.length, &o->mode, &o->sample_interval));
  }
  if (name == "depth") {
    const bool good = ParseNumberWithin(value, 1, kMaxDepth, &number);
    if (good) o->depth = static_cast<uint32_t>(number);
    return Result(good);
  }
  if (name == "min_size") {
    const bool good = ParseNumber(value, &number);
    if (good) o->min_size = number;
    return Result(good);
  }
  if (name == "max_tracebacks") {
    const bool good = ParseNumberWithin(value, 1, (1u << 28) - 17, &number);
    if (good) o->max_tracebacks = static_cast<uint32_t>(number);
    return Result(good);
  }
  if (name == "at_exit") return Result(ParsePath(value, o->at_exit));
  if (name == "socket_dir") return Result(ParsePath(value, o->socket_dir));
  if (name == "packer") return Result(ParsePath(value, o->packer));
  if (name == "control") {
    return Result(ParseSwitch(value, "on", "off", &o->control));
  }
  if (name == "env") {
    return Result(ParseSwitch(value, "clean", "keep", &o->clean_environment));
  }
  return Outcome::kUnknown;
}

struct OptionHelp {
  const char* name;
  const char* values;
};
constexpr OptionHelp kOptions[] = {
#define HEAPTALLY_OPTION(name, values, default_value, help) {#name, values},
#include "accounting/options.def"
#undef HEAPTALLY_OPTION
};

void Complain(Outcome outcome, Piece name, Piece value) {
  char buffer[768];
  TextWriter out(buffer, sizeof(buffer) - 1);
  out.Text("heaptally: ");
  if (outcome == Outcome::kUnknown) {
    out.Text("HEAPTALLY has no option '").Bytes(name.begin, name.length);
    out.Text("'; it is ignored. Options: ");
    const char* separator = "";
    for (const OptionHelp& option : kOptions) {
      out.Text(separator).Text(option.name);
      separator = ", ";
    }
  } else {
    out.Text("'").Bytes(value.begin, value.length < 200 ? value.length : 200);
    out.Text("' is no value for the option ").Bytes(name.begin, name.length);
    out.Text(" in HEAPTALLY; the default is used.");
    for (const OptionHelp& option : kOptions) {
      if (name == option.name) out.Text(" Values: ").Text(option.values);
    }
  }
  out.Char('\n');
  sys::Call(SYS_write, sys::kStandardError, sys::Arg(out.data()), out.size());
}

// In a statically linked program the C library has set `environ` before
// anything allocates, and __libc_stack_end points elsewhere.
char** InitialEnvironment() {
  if (environ != nullptr) return environ;
  long* stack = static_cast<long*>(__libc_stack_end);
  if (stack == nullptr) return nullptr;
  const long argc = stack[0];
  return reinterpret_cast<char**>(stack + 1 + argc + 1);
}

// Set-user-id and the like: the environment is another user's.
bool IsSecure() { return getauxval(AT_SECURE) != 0; }

// Removes the colon-separated element that names our library from the value of
// LD_PRELOAD; true when nothing is left of it.
bool RemoveFromPreload(char* value) {
  char* out = value;
  for (const char* in = value; *in != '\0';) {
    size_t length = 0;
    bool ours = false;
    while (in[length] != '\0' && in[length] != ':' && in[length] != ' ') {
      if (StartsWith(in + length, "libheaptally.so")) ours = true;
      ++length;
    }
    if (!ours && length != 0) {
      if (out != value) *out++ = ':';
      for (size_t i = 0; i < length; ++i) *out++ = in[i];
    }
    in += length;
    if (*in != '\0') ++in;
  }
  *out = '\0';
  return out == value;
}

}  // namespace

bool ParseMode(const char* text, size_t length, RecordingMode* mode,
               uint64_t* interval) {
  const Piece value{text, length};
  *interval = 0;
  if (value == "counters") {
    *mode = RecordingMode::kCounters;
    return true;
  }
  if (value == "all") {
    *mode = RecordingMode::kAll;
    return true;
  }
  constexpr size_t kPrefix = sizeof("sampled=") - 1;
  if (length <= kPrefix || !StartsWith(text, "sampled=")) return false;
  uint64_t bytes = 0;
  if (!ParseNumberWithin({text + kPrefix, length - kPrefix}, 1,
                         uint64_t{1} << 40, &bytes)) {
    return false;
  }
  *mode = RecordingMode::kSampled;
  *interval = bytes;
  return true;
}

void ParseOptions(const char* text, Options* options) {
  while (*text != '\0') {
    size_t length = 0;
    while (text[length] != '\0' && text[length] != ',') ++length;
    size_t name_length = 0;
    while (name_length < length && text[name_length] != '=') ++name_length;
    const Piece name{text, name_length};
    const size_t skip = name_length < length ? name_length + 1 : length;
    const Piece value{text + skip, length - skip};
    if (length != 0) {
      const Outcome outcome = SetOption(name, value, options);
      if (outcome != Outcome::kSet) Complain(outcome, name, value);
    }
    text += length;
    if (*text == ',') ++text;
  }
}

const Options& GlobalOptions() { return global_options; }

void LoadOptions() {
  char** environment = InitialEnvironment();
  if (environment == nullptr || IsSecure()) return;
  for (char** entry = environment; *entry != nullptr; ++entry) {
    if (StartsWith(*entry, kVariable)) {
      ParseOptions(*entry + sizeof(kVariable) - 1, &global_options);
      return;
    }
  }
}

void CleanEnvironment(char** environment) {
  if (environment == nullptr) return;
  char** out = environment;
  for (char** in = environment; *in != nullptr; ++in) {
    if (StartsWith(*in, kVariable)) continue;
    if (StartsWith(*in, kPreload) &&
        RemoveFromPreload(*in + sizeof(kPreload) - 1)) {
      continue;
    }
    *out++ = *in;
  }
  *out = nullptr;
}

}  // namespace heaptally

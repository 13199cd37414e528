#include "integration/control/request.h"

#include "accounting/options.h"
#include "accounting/process_counters.h"
#include "accounting/recording.h"
#include "accounting/sys_io.h"
#include "integration/control/protocol.h"
#include "snapshot/capture_facts.h"

namespace heaptally::control {
namespace {

int HexDigit(char c) {
  if (c >= '0' && c <= '9') return c - '0';
  if (c >= 'a' && c <= 'f') return c - 'a' + 10;
  if (c >= 'A' && c <= 'F') return c - 'A' + 10;
  return -1;
}

bool StartsWith(const char* text, size_t size, const char* prefix) {
  const size_t n = TextLength(prefix);
  return size >= n && __builtin_memcmp(text, prefix, n) == 0;
}

void Refuse(TextWriter& reply, const char* sentence) {
  reply.Text(kError).Text(sentence).Char('\n');
}

void Accept(TextWriter& reply) { reply.Text(kOk).Char('\n'); }

}  // namespace

Request::Request(const char* text, size_t size)
    : command_(text), command_size_(size) {
  size_t begin = 0;
  for (size_t i = 0; i <= size; ++i) {
    if (i != size && text[i] != '\n') continue;
    if (begin == 0) {
      command_size_ = i;
    } else {
      ReadLine(text + begin, i - begin);
    }
    begin = i + 1;
  }
}

// Lines that it does not know come from a newer tool and are passed over.
void Request::ReadLine(const char* line, size_t size) {
  if (!StartsWith(line, size, kLabel)) return;
  label_size_ = 0;
  for (size_t i = TextLength(kLabel); i < size; ++i) {
    if (label_size_ == sizeof(label_)) return;
    char c = line[i];
    if (c == '%' && i + 2 < size && HexDigit(line[i + 1]) >= 0 &&
        HexDigit(line[i + 2]) >= 0) {
      c = static_cast<char>(HexDigit(line[i + 1]) * 16 + HexDigit(line[i + 2]));
      i += 2;
    }
    label_[label_size_++] = c;
  }
}

bool Request::Is(const char* command) const {
  return command_size_ == TextLength(command) && BeginsWith(command);
}

bool Request::BeginsWith(const char* prefix) const {
  return StartsWith(command_, command_size_, prefix);
}

bool Request::is_snapshot() const { return Is(kSnapshot); }

CaptureOptions Request::capture_options() const {
  CaptureOptions options;
  options.label = label_;
  options.label_size = label_size_;
  return options;
}

void Request::Execute(TextWriter& reply) const {
  if (Is(kStat)) {
    Accept(reply);
    WriteFacts(reply, {sys::GetPid(), Recording::epoch(), sys::UnixNs()},
               nullptr);
  } else if (Is(kResetPeak)) {
    if (ResetPeak()) return Accept(reply);
    Refuse(reply,
           "a thread could not be stopped inside an allocation; the peak is "
           "as it was");
  } else if (BeginsWith(kRecord)) {
    ExecuteRecord(reply);
  } else {
    Refuse(reply,
           "unknown request; this runtime knows stat, record, reset-peak and "
           "snapshot");
  }
}

void Request::ExecuteRecord(TextWriter& reply) const {
  RecordingMode mode;
  uint64_t interval = 0;
  const size_t skip = TextLength(kRecord);
  if (!ParseMode(command_ + skip, command_size_ - skip, &mode, &interval)) {
    return Refuse(reply, "record takes counters, sampled=BYTES or all");
  }
  if (!Recording::Set(mode, interval)) {
    return Refuse(reply,
                  "the mode is as it was: a thread could not be stopped inside "
                  "an allocation, or the mode was switched too often");
  }
  Accept(reply);
  reply.Fact("mode", ModeName(static_cast<uint32_t>(mode)));
  reply.Fact("sample_interval", interval);
  reply.Fact("epoch", Recording::epoch());
}

void WriteCaptureReply(TextWriter& reply, const CaptureResult& result) {
  if (result.error != 0) return Refuse(reply, result.problem);
  Accept(reply);
  reply.Fact("pause_ns", result.pause_ns);
  reply.Fact("duration_ns", result.duration_ns);
  reply.Fact("bytes", result.bytes);
  reply.Fact("epoch", result.epoch);
  reply.Fact("quiesced", result.quiesced ? 1u : 0u);
  reply.Fact("method", result.forked ? "fork" : "in_process");
}

}  // namespace heaptally::control

// A request as it came from a client: hostile text. Parses it and, unless it
// asks for a snapshot, carries it out. On the control thread; system calls and
// our own books only.
#ifndef HEAPTALLY_INTEGRATION_CONTROL_REQUEST_H_
#define HEAPTALLY_INTEGRATION_CONTROL_REQUEST_H_

#include <cstddef>

#include "accounting/text_writer.h"
#include "snapshot/capture.h"

namespace heaptally::control {

class Request {
 public:
  // Keeps a reference to `text`.
  Request(const char* text, size_t size);

  bool is_snapshot() const;
  CaptureOptions capture_options() const;

  // Writes the reply.
  void Execute(TextWriter& reply) const;

 private:
  const char* command_;
  size_t command_size_;
  char label_[CaptureShared::kMaxLabel];
  size_t label_size_ = 0;

  bool Is(const char* command) const;
  bool BeginsWith(const char* prefix) const;
  void ReadLine(const char* line, size_t size);
  void ExecuteRecord(TextWriter& reply) const;
};

void WriteCaptureReply(TextWriter& reply, const CaptureResult& result);

}  // namespace heaptally::control

#endif  // HEAPTALLY_INTEGRATION_CONTROL_REQUEST_H_

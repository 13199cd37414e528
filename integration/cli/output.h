// Standard output, standard error and the terminal behind them.
// Not thread-safe.
#ifndef HEAPTALLY_INTEGRATION_CLI_OUTPUT_H_
#define HEAPTALLY_INTEGRATION_CLI_OUTPUT_H_

#include <array>
#include <ostream>
#include <streambuf>

#include "absl/status/status.h"
#include "absl/strings/string_view.h"

namespace heaptally::cli {

// Makes a reader that goes away (`heaptally report F | head`) an error of the
// write instead of a signal. Not for `run`: an exec hands it on.
void IgnoreBrokenPipes();

// Standard output as a stream. Once a write has failed, or the reader has gone,
// further output is dropped; Finish() tells.
class StandardOutput : public std::ostream {
 public:
  StandardOutput() : std::ostream(&buffer_) {}

  // Writes what is buffered. A reader that has gone is no error.
  absl::Status Finish();
  bool reader_gone() const;

 private:
  class Buffer : public std::streambuf {
   public:
    Buffer() { setp(bytes_.data(), bytes_.data() + bytes_.size()); }
    int error() const { return error_; }

   protected:
    int_type overflow(int_type c) override;
    int sync() override;

   private:
    std::array<char, 65536> bytes_;
    int error_ = 0;
  };

  Buffer buffer_;
};

// Writes `text` to standard output.
absl::Status Print(absl::string_view text);

// "heaptally report: the sentence" on standard error.
void Complain(absl::string_view command, absl::string_view sentence);

bool StandardErrorIsTerminal();

// Columns of standard output: the terminal's, else COLUMNS, else 0 for
// "no limit".
size_t OutputWidth();

// Lets reports be made for that width.
void UseTerminalWidth();

// One line on standard error that is overwritten by the next; nothing unless
// standard error is a terminal. The destructor clears it.
class ProgressLine {
 public:
  ProgressLine();
  ~ProgressLine();
  ProgressLine(const ProgressLine&) = delete;
  ProgressLine& operator=(const ProgressLine&) = delete;

  void Show(absl::string_view text);
  void Clear();

 private:
  const bool enabled_;
  bool shown_ = false;
};

}  // namespace heaptally::cli

#endif  // HEAPTALLY_INTEGRATION_CLI_OUTPUT_H_

#include "integration/cli/output.h"

#include <errno.h>
#include <signal.h>
#include <stdlib.h>
#include <sys/ioctl.h>
#include <unistd.h>

#include <string>

#include "absl/strings/numbers.h"
#include "absl/strings/str_cat.h"
#include "snapshot/text_format.h"

namespace heaptally::cli {
namespace {

// Returns 0 or the error number.
int WriteAll(int fd, absl::string_view text) {
  while (!text.empty()) {
    const ssize_t written = write(fd, text.data(), text.size());
    if (written < 0 && errno == EINTR) continue;
    if (written < 0) return errno;
    text.remove_prefix(static_cast<size_t>(written));
  }
  return 0;
}

}  // namespace

void IgnoreBrokenPipes() { signal(SIGPIPE, SIG_IGN); }

StandardOutput::Buffer::int_type StandardOutput::Buffer::overflow(int_type c) {
  if (sync() != 0) return traits_type::eof();
  if (!traits_type::eq_int_type(c, traits_type::eof())) {
    *pptr() = traits_type::to_char_type(c);
    pbump(1);
  }
  return traits_type::not_eof(c);
}

int StandardOutput::Buffer::sync() {
  if (error_ == 0) {
    error_ = WriteAll(STDOUT_FILENO,
                      {pbase(), static_cast<size_t>(pptr() - pbase())});
  }
  setp(bytes_.data(), bytes_.data() + bytes_.size());
  return error_ == 0 ? 0 : -1;
}

absl::Status StandardOutput::Finish() {
  flush();
  if (buffer_.error() == 0 || reader_gone()) return absl::OkStatus();
  return absl::ErrnoToStatus(buffer_.error(),
                             "cannot write to standard output");
}

bool StandardOutput::reader_gone() const { return buffer_.error() == EPIPE; }

absl::Status Print(absl::string_view text) {
  StandardOutput out;
  out << text;
  return out.Finish();
}

void Complain(absl::string_view command, absl::string_view sentence) {
  const std::string line = absl::StrCat("heaptally", command.empty() ? "" : " ",
                                        command, ": ", sentence, "\n");
  WriteAll(STDERR_FILENO, line);
}

bool StandardErrorIsTerminal() { return isatty(STDERR_FILENO) == 1; }

size_t OutputWidth() {
  winsize size;
  if (ioctl(STDOUT_FILENO, TIOCGWINSZ, &size) == 0 && size.ws_col > 0) {
    return size.ws_col;
  }
  const char* columns = getenv("COLUMNS");
  size_t width = 0;
  if (columns != nullptr && absl::SimpleAtoi(columns, &width)) return width;
  return 0;
}

void UseTerminalWidth() {
  const size_t width = OutputWidth();
  if (width != 0) SetTextColumns(width);
}

ProgressLine::ProgressLine() : enabled_(StandardErrorIsTerminal()) {}

ProgressLine::~ProgressLine() { Clear(); }

void ProgressLine::Show(absl::string_view text) {
  if (!enabled_) return;
  WriteAll(STDERR_FILENO, absl::StrCat("\r\033[K", text));
  shown_ = true;
}

void ProgressLine::Clear() {
  if (shown_) WriteAll(STDERR_FILENO, "\r\033[K");
  shown_ = false;
}

}  // namespace heaptally::cli

// Writes what the model expects of a snapshot. One thread at a time; allocates
// nothing.
#include <unistd.h>

#include "tests/model/books.h"
#include "tests/support/check.h"

namespace model {
namespace {

class Text {
 public:
  explicit Text(int fd) : fd_(fd) {}
  ~Text() { Flush(); }

  Text& operator<<(const char* text) {
    for (; *text != '\0'; ++text) {
      Put(*text);
    }
    return *this;
  }
  Text& operator<<(int64_t number) {
    if (number < 0) {
      Put('-');
    }
    char digits[24];
    int count = 0;
    for (uint64_t left = number < 0 ? -uint64_t(number) : uint64_t(number);
         left != 0 || count == 0; left /= 10) {
      digits[count++] = char('0' + left % 10);
    }
    while (count > 0) {
      Put(digits[--count]);
    }
    return *this;
  }
  Text& operator<<(const Amount& amount) {
    return *this << "[" << amount.blocks << "," << amount.requested << ","
                 << amount.usable << "]";
  }

 private:
  void Put(char byte) {
    if (used_ == sizeof buffer_) {
      Flush();
    }
    buffer_[used_++] = byte;
  }
  void Flush() {
    for (size_t done = 0; done < used_;) {
      ssize_t written = write(fd_, buffer_ + done, used_ - done);
      CHECK(written > 0);
      done += size_t(written);
    }
    used_ = 0;
  }

  int fd_;
  size_t used_ = 0;
  char buffer_[1 << 14];
};

Account SumOf(Books* const* books, int count, int key) {
  Account sum;
  for (int i = 0; i < count; ++i) {
    const Account& one = key < 0 ? books[i]->total() : books[i]->account(key);
    sum.current += one.current;
    sum.ever += one.ever;
    sum.own_peak += one.own_peak;
    sum.at_peak += one.at_peak;
  }
  return sum;
}

void WriteAccount(Text& text, const Account& account) {
  text << "{\"current\":" << account.current << ",\"ever\":" << account.ever
       << ",\"own_peak\":" << account.own_peak
       << ",\"at_peak\":" << account.at_peak << "}";
}

void WriteBlocks(Text& text, const Books& books, const char** separator) {
  for (size_t i = 0; i < books.size(); ++i) {
    const Block& block = books.block(i);
    text << *separator << "[" << int64_t(uintptr_t(block.address)) << ","
         << block.key << "," << int64_t(block.serial) << ","
         << int64_t(block.requested) << "," << int64_t(block.usable) << "]";
    *separator = ",";
  }
}

}  // namespace

void WriteExpectation(int fd, const char* snapshot_path,
                      const Knowledge& knowledge, Books* const* books,
                      int count) {
  Text text(fd);
  text << "{\"file\":\"" << snapshot_path
       << "\",\"peak_known\":" << int64_t(knowledge.peak_known)
       << ",\"keys_known\":" << int64_t(knowledge.keys_known)
       << ",\"ever_beside\":" << knowledge.ever_beside << ",\"total\":";
  WriteAccount(text, SumOf(books, count, -1));
  text << ",\"keys\":{";
  const char* separator = "";
  for (int key = 0; key < kAllKeys; ++key) {
    Account account = SumOf(books, count, key);
    if (account.ever.blocks != 0) {
      text << separator << "\"" << key << "\":";
      WriteAccount(text, account);
      separator = ",";
    }
  }
  text << "},\"blocks\":[";
  separator = "";
  for (int i = 0; i < count; ++i) {
    WriteBlocks(text, *books[i], &separator);
  }
  text << "]}\n";
}

}  // namespace model

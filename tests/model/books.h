// The model: what the books of a program must say after a sequence of
// allocations, kept by the simplest means. Not thread-safe; memory is mapped,
// never allocated.
#ifndef HEAPTALLY_TESTS_MODEL_BOOKS_H_
#define HEAPTALLY_TESTS_MODEL_BOOKS_H_

#include <cstdint>

#include "tests/model/sites.h"

namespace model {

struct Amount {
  int64_t blocks = 0;
  int64_t requested = 0;
  int64_t usable = 0;

  Amount& operator+=(const Amount& other);
  Amount& operator-=(const Amount& other);
};

// A key is a call site and door, or beyond those a reason why no traceback was
// recorded.
inline constexpr int kBeforeRecording = kKeys;
inline constexpr int kBelowMinSize = kKeys + 1;
inline constexpr int kAllKeys = kKeys + 2;

struct Account {
  Amount current;
  Amount ever;
  Amount own_peak;  // At this key's own maximum of usable bytes.
  Amount at_peak;   // At the maximum of the whole.
};

struct Block {
  void* address = nullptr;
  int key = 0;
  Door door = kMalloc;
  Request request;
  size_t requested = 0;
  size_t usable = 0;
  uint64_t serial = 0;
};

class Books {
 public:
  static constexpr size_t kMaxBlocks = 1 << 16;

  // Mapped and zeroed. `first_serial` tells the blocks of several books apart.
  static Books* Create(uint64_t first_serial);

  void Add(Block block);
  // Takes out the block at `index`; another one takes its place.
  Block Remove(size_t index);

  // Peaks begin anew with what is there now.
  void ResetPeak();

  size_t size() const { return size_; }
  const Block& block(size_t index) const { return blocks_[index]; }
  const Account& account(int key) const { return accounts_[key]; }
  const Account& total() const { return total_; }

 private:
  void NoteMaximum(Account& own);

  size_t size_;
  uint64_t next_serial_;
  Account total_;
  Account accounts_[kAllKeys];
  Block blocks_[kMaxBlocks];
};

// What may be expected of a snapshot.
struct Knowledge {
  bool peak_known;
  bool keys_known;
  Amount ever_beside;  // Allocated and freed without the books.
};

// Writes one line of JSON. `books` are those of all threads.
void WriteExpectation(int fd, const char* snapshot_path,
                      const Knowledge& knowledge, Books* const* books,
                      int count);

}  // namespace model

#endif  // HEAPTALLY_TESTS_MODEL_BOOKS_H_

#include "tests/model/books.h"

#include <sys/mman.h>

#include <new>

#include "tests/support/check.h"

namespace model {

Amount& Amount::operator+=(const Amount& other) {
  blocks += other.blocks;
  requested += other.requested;
  usable += other.usable;
  return *this;
}

Amount& Amount::operator-=(const Amount& other) {
  blocks -= other.blocks;
  requested -= other.requested;
  usable -= other.usable;
  return *this;
}

Books* Books::Create(uint64_t first_serial) {
  void* memory = mmap(nullptr, sizeof(Books), PROT_READ | PROT_WRITE,
                      MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
  CHECK(memory != MAP_FAILED);
  auto* books = static_cast<Books*>(memory);
  books->next_serial_ = first_serial;
  return books;
}

void Books::Add(Block block) {
  CHECK(size_ < kMaxBlocks);
  if (block.serial == 0) {
    block.serial = ++next_serial_;
    Amount amount = {1, int64_t(block.requested), int64_t(block.usable)};
    accounts_[block.key].ever += amount;
    total_.ever += amount;
  }
  Amount amount = {1, int64_t(block.requested), int64_t(block.usable)};
  accounts_[block.key].current += amount;
  total_.current += amount;
  blocks_[size_++] = block;
  NoteMaximum(accounts_[block.key]);
}

Block Books::Remove(size_t index) {
  Block block = blocks_[index];
  blocks_[index] = blocks_[--size_];
  Amount amount = {1, int64_t(block.requested), int64_t(block.usable)};
  accounts_[block.key].current -= amount;
  total_.current -= amount;
  return block;
}

// A maximum that is only equalled is not a new one.
void Books::NoteMaximum(Account& own) {
  if (own.current.usable > own.own_peak.usable) {
    own.own_peak = own.current;
  }
  if (total_.current.usable > total_.own_peak.usable) {
    total_.own_peak = total_.current;
    for (Account& account : accounts_) {
      account.at_peak = account.current;
    }
  }
}

void Books::ResetPeak() {
  total_.own_peak = total_.current;
  for (Account& account : accounts_) {
    account.own_peak = account.current;
    account.at_peak = account.current;
  }
}

}  // namespace model

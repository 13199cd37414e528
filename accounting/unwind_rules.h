// Code address → how its frame is left, remembered.
//
// A lock-free hash table of single 64-bit words: 41 bits that (with the place)
// identify the address, 23 bits of rule. A reader sees a whole entry or none;
// writers only ever replace whole words. The table grows with the number of
// addresses met, from 8 KiB, so that it stays in the cache and small programs
// pay little. Rules that do not fit into 23 bits live in a list that only
// grows, and the entry holds their index.
//
// Thread-safe, signal-safe, no locks, memory from OwnMemory. Addresses lose
// their meaning when an object is unloaded: Flush() starts an empty table, and
// what is still written into the old one is never read again.
#ifndef HEAPTALLY_ACCOUNTING_UNWIND_RULES_H_
#define HEAPTALLY_ACCOUNTING_UNWIND_RULES_H_

#include <atomic>
#include <cstdint>

#include "accounting/eh_frame.h"

namespace heaptally {

// A rule in 23 bits: kind (3), CFA offset in words (13), and how far below the
// CFA the frame pointer is saved, in words (7; 0 = not saved). For kIndirect
// the 20 upper bits are an index.
class PackedRule {
 public:
  static constexpr int kBits = 23;
  // As UnwindRule's kinds where those fit; these are its own.
  static constexpr uint32_t kIndirect = 0;  // see the list of full rules
  static constexpr uint32_t kUnknown = 3;
  static constexpr uint32_t kRecompile = 4;  // the list is full
  static constexpr uint32_t kNoTable = 5;

  explicit constexpr PackedRule(uint32_t bits) : bits_(bits) {}

  uint32_t bits() const { return bits_; }
  uint32_t kind() const { return bits_ & 7; }
  bool IsPlain() const { return kind() - 1 < 2; }
  bool UsesRbp() const { return kind() == UnwindRule::kCfaRbp; }
  uintptr_t CfaOffset() const { return bits_ & 0xfff8; }  // words, 3 bits up
  uintptr_t SavedBelow() const { return (bits_ >> 16) * 8; }
  uint32_t Index() const { return bits_ >> 3; }

 private:
  uint32_t bits_;
};

class UnwindRules {
 public:
  // The rule for the instruction at `address`. Found in the cache, or compiled
  // and remembered.
  static PackedRule Find(uintptr_t address) {
    const uint64_t table = table_.load(std::memory_order_acquire);
    if (table != 0) [[likely]] {
      const uint64_t hash = Hash(address);
      const uint64_t tag = hash << 7;
      uint64_t place = Place(table, hash);
      const uint64_t line = place & ~uint64_t{kLine - 1};
      for (unsigned i = 0; i < kLine; ++i) {
        const uint64_t entry =
            Entries(table)[place].load(std::memory_order_acquire);
        if ((entry ^ tag) < kOne && entry != 0) [[likely]] {
          // The tag has no bits where the rule is.
          return PackedRule(static_cast<uint32_t>(entry) & (kOne - 1));
        }
        if (entry == 0) break;
        place = line | ((place + 1) & (kLine - 1));
      }
    }
    return Miss(address);
  }

  // The full form of the rule that Find(address) gave. For an address in no
  // object, asks again whether it still is in none.
  static UnwindRule Full(PackedRule packed, uintptr_t address);

  // Compiles afresh, remembering nothing.
  static UnwindRule Compile(uintptr_t address, uint8_t tracked = kRegRbp);

  static void Flush();

 private:
  static constexpr unsigned kLine = 8;  // entries that one address may be in
  static constexpr uint32_t kOne = 1 << PackedRule::kBits;

  // One-to-one, with the 16 low bits zero.
  static uint64_t Hash(uintptr_t address) {
    return static_cast<uint64_t>(address) * (0x9e3779b97f4a7c15 << 16);
  }
  static std::atomic<uint64_t>* Entries(uint64_t table) {
    return reinterpret_cast<std::atomic<uint64_t>*>(table & ~kLowBits);
  }
  // Where the search begins; it goes round within kLine entries.
  static uint64_t Place(uint64_t table, uint64_t hash) {
    return hash >> (table & kShift);
  }

  __attribute__((noinline)) static PackedRule Miss(uintptr_t address);
  static PackedRule Pack(const UnwindRule& rule);
  static void Remember(uintptr_t address, PackedRule rule);
  static bool Insert(uint64_t table, uint64_t hash, PackedRule rule);
  static void Grow(uint64_t table);

  static constexpr uint64_t kShift = 0x3f;
  static constexpr uint64_t kLowBits = 0xfff;
  // Address of the entries (page-aligned) | number of flushes (6 bits) |
  // shift that gives the place (6 bits).
  static std::atomic<uint64_t> table_;
};

}  // namespace heaptally

#endif  // HEAPTALLY_ACCOUNTING_UNWIND_RULES_H_

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
  // As UnwindRule's kinds where those fit; these three are its own.
  static constexpr uint32_t kIndirect = 0;  // see the list of full rules
  static constexpr uint32_t kUnknown = 3;
  static constexpr uint32_t kRecompile = 4;  // the list is full

  explicit constexpr PackedRule(uint32_t bits) : bits_(bits) {}

  uint32_t bits() const { return bits_; }
  uint32_t kind() const { return bits_ & 7; }
  bool IsPlain() const { return kind() - 1 < 2; }
  bool UsesRbp() const { return kind() == UnwindRule::kCfaRbp; }
  uintptr_t CfaOffset() const { return (bits_ >> 3 & 0x1fff) * 8; }
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
      const std::atomic<uint64_t>* line = Line(table, hash);
      const uint64_t tag = hash << 7;
      for (unsigned i = 0; i < kLine; ++i) {
        const uint64_t entry =
            line[(First(hash) + i) % kLine].load(std::memory_order_relaxed);
        const uint64_t rule = entry ^ tag;
        if (rule < uint64_t{1} << PackedRule::kBits) [[likely]] {
          if (entry != 0) return PackedRule(static_cast<uint32_t>(rule));
        }
        if (entry == 0) break;
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

  static uint64_t Hash(uintptr_t address) {
    return (static_cast<uint64_t>(address) << 16) * 0x9e3779b97f4a7c15;
  }
  static unsigned First(uint64_t hash) { return hash >> 16 & (kLine - 1); }
  static std::atomic<uint64_t>* Line(uint64_t table, uint64_t hash) {
    auto* entries = reinterpret_cast<std::atomic<uint64_t>*>(table & ~kLowBits);
    return entries + (hash >> (table & kShift)) * kLine;
  }

  static PackedRule Miss(uintptr_t address);
  static PackedRule Pack(const UnwindRule& rule);
  static void Remember(uintptr_t address, PackedRule rule);
  static bool Insert(uint64_t table, uint64_t hash, PackedRule rule);
  static void Grow(uint64_t table);

  static constexpr uint64_t kShift = 0x3f;
  static constexpr uint64_t kLowBits = 0xfff;
  // Address of the entries (page-aligned) | number of flushes (6 bits) |
  // shift that gives the line (6 bits).
  static std::atomic<uint64_t> table_;
};

}  // namespace heaptally

#endif  // HEAPTALLY_ACCOUNTING_UNWIND_RULES_H_

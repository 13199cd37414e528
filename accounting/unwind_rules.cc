#include "accounting/unwind_rules.h"

#include <dlfcn.h>

#include "accounting/modules.h"
#include "accounting/own_memory.h"
#include "accounting/sys.h"

namespace heaptally {

std::atomic<uint64_t> UnwindRules::table_{0};

namespace {

constexpr unsigned kFirstBits = 10;  // entries; the fewest that tags allow
constexpr unsigned kMaxBits = 18;    // 2 MiB
constexpr unsigned kGrowBits = 2;
constexpr uint64_t kFlushStep = 1 << 6;
constexpr uint64_t kFlushMask = 0x3f << 6;

std::atomic<uint64_t> used_entries{0};  // in the current table, about
std::atomic<bool> growing{false};

uint64_t NewTable(unsigned bits) {
  void* p = OwnMemory::Map(sizeof(uint64_t) << bits, OwnUse::kOther);
  return p == nullptr ? 0 : reinterpret_cast<uint64_t>(p) | (64 - bits);
}

// Rules that do not fit into an entry. Index 0 is not used.
class FullRules {
 public:
  static constexpr uint32_t kMax = 1 << 16;

  // The index of an equal rule, or 0 if there is no room.
  static uint32_t Intern(const UnwindRule& rule) {
    UnwindRule* list = List();
    if (list == nullptr) return 0;
    const uint32_t known = count_.load(std::memory_order_acquire);
    const uint32_t first = known > kSearched ? known - kSearched : 1;
    for (uint32_t i = first; i < known; ++i) {
      if (Equal(list[i], rule)) return i;
    }
    uint32_t index = known;
    do {
      if (index >= kMax) return 0;
    } while (!count_.compare_exchange_weak(index, index + 1,
                                           std::memory_order_acq_rel));
    list[index] = rule;
    OwnMemory::Count(OwnUse::kOther, sizeof(UnwindRule));
    return index;
  }

  static UnwindRule At(uint32_t index) {
    return list_.load(std::memory_order_acquire)[index];
  }

 private:
  static constexpr uint32_t kSearched = 256;

  static bool Equal(const UnwindRule& a, const UnwindRule& b) {
    return a.kind == b.kind && a.saved == b.saved &&
           a.cfa_register == b.cfa_register && a.cfa_offset == b.cfa_offset &&
           a.saved_offset == b.saved_offset;
  }

  static UnwindRule* List() {
    UnwindRule* list = list_.load(std::memory_order_acquire);
    if (list != nullptr) return list;
    void* p = OwnMemory::Reserve(kMax * sizeof(UnwindRule));
    if (p == nullptr) return nullptr;
    if (list_.compare_exchange_strong(list, static_cast<UnwindRule*>(p))) {
      return static_cast<UnwindRule*>(p);
    }
    sys::Munmap(p, kMax * sizeof(UnwindRule));
    return list;
  }

  static std::atomic<UnwindRule*> list_;
  static std::atomic<uint32_t> count_;
};

std::atomic<UnwindRule*> FullRules::list_{nullptr};
std::atomic<uint32_t> FullRules::count_{1};

// mov $__NR_rt_sigreturn, %rax; syscall: how a program that brings its own
// trampoline without a table returns from a signal.
bool IsSignalReturn(uintptr_t address) {
  constexpr uint8_t kCode[] = {0x48, 0xc7, 0xc0, 0x0f, 0, 0, 0, 0x0f, 0x05};
  struct Vector {
    void* base;
    size_t size;
  };
  uint8_t code[sizeof(kCode)] = {};
  const Vector local{code, sizeof(code)};
  // `address` is in the instruction before the one that is returned to.
  const Vector remote{reinterpret_cast<void*>(address + 1), sizeof(code)};
  const intptr_t got =
      sys::Call(SYS_process_vm_readv, static_cast<uintptr_t>(sys::GetPid()),
                sys::Arg(&local), 1, sys::Arg(&remote), 1, 0);
  return got == sizeof(code) &&
         __builtin_memcmp(code, kCode, sizeof(code)) == 0;
}

}  // namespace

UnwindRule UnwindRules::Compile(uintptr_t address, uint8_t tracked) {
  dl_find_object object;
  if (_dl_find_object(reinterpret_cast<void*>(address), &object) == 0) {
    Modules::Note(object);
    return CompileRule(static_cast<const uint8_t*>(object.dlfo_eh_frame),
                       address, tracked);
  }
  UnwindRule rule;
  rule.kind = UnwindRule::kForeign;
  if (IsSignalReturn(address)) {
    rule.kind = UnwindRule::kSignal;
    rule.saved = UnwindRule::kAtRsp;
    rule.saved_offset = kSignalRbp;
  }
  return rule;
}

PackedRule UnwindRules::Miss(uintptr_t address) {
  const UnwindRule rule = Compile(address);
  const PackedRule packed = Pack(rule);
  // A trampoline outside all objects may be replaced at any time.
  if (address >> 48 == 0 && rule.kind != UnwindRule::kSignal) {
    Remember(address, packed);
  }
  return packed;
}

PackedRule UnwindRules::Pack(const UnwindRule& rule) {
  const uint32_t kind = rule.kind;
  switch (rule.kind) {
    case UnwindRule::kUnknown:
      return PackedRule(PackedRule::kUnknown);
    case UnwindRule::kNoTable:
      return PackedRule(PackedRule::kNoTable);
    case UnwindRule::kEnd:
    case UnwindRule::kForeign:
      return PackedRule(kind);
    case UnwindRule::kCfaRsp:
    case UnwindRule::kCfaRbp: {
      const bool same = rule.saved == UnwindRule::kSame;
      const int64_t below = same ? 0 : -int64_t{rule.saved_offset};
      const bool fits =
          rule.cfa_offset >= 0 && rule.cfa_offset < (8 << 13) &&
          rule.cfa_offset % 8 == 0 && below % 8 == 0 && below < (8 << 7) &&
          (same || (rule.saved == UnwindRule::kAtCfa && below > 0));
      if (!fits) break;
      return PackedRule(kind | static_cast<uint32_t>(rule.cfa_offset / 8) << 3 |
                        static_cast<uint32_t>(below / 8) << 16);
    }
    default:
      break;
  }
  const uint32_t index = FullRules::Intern(rule);
  return index == 0 ? PackedRule(PackedRule::kRecompile)
                    : PackedRule(PackedRule::kIndirect | index << 3);
}

UnwindRule UnwindRules::Full(PackedRule packed, uintptr_t address) {
  UnwindRule rule;
  switch (packed.kind()) {
    case PackedRule::kIndirect:
      return FullRules::At(packed.Index());
    case PackedRule::kUnknown:
      return rule;
    case PackedRule::kRecompile:
      return Compile(address);
    case PackedRule::kNoTable:
      rule.kind = UnwindRule::kNoTable;
      return rule;
    case UnwindRule::kForeign: {
      dl_find_object object;
      if (_dl_find_object(reinterpret_cast<void*>(address), &object) == 0) {
        return Full(Miss(address), address);
      }
      rule.kind = UnwindRule::kForeign;
      return rule;
    }
    case UnwindRule::kEnd:
      rule.kind = UnwindRule::kEnd;
      return rule;
    default:
      rule.kind = static_cast<UnwindRule::Kind>(packed.kind());
      rule.cfa_offset = static_cast<int32_t>(packed.CfaOffset());
      rule.saved_offset = -static_cast<int32_t>(packed.SavedBelow());
      rule.saved =
          packed.SavedBelow() == 0 ? UnwindRule::kSame : UnwindRule::kAtCfa;
      return rule;
  }
}

void UnwindRules::Remember(uintptr_t address, PackedRule rule) {
  uint64_t table = table_.load(std::memory_order_acquire);
  if (table == 0) {
    const uint64_t fresh = NewTable(kFirstBits);
    if (fresh == 0) return;
    if (table_.compare_exchange_strong(table, fresh,
                                       std::memory_order_acq_rel)) {
      table = fresh;
    } else {
      OwnMemory::Unmap(Entries(fresh), sizeof(uint64_t) << kFirstBits,
                       OwnUse::kOther);
    }
  }
  if (!Insert(table, Hash(address), rule)) return;
  const unsigned bits = 64 - (table & kShift);
  const uint64_t count = used_entries.fetch_add(1, std::memory_order_relaxed);
  if (count > uint64_t{1} << (bits - 1) && bits < kMaxBits) Grow(table);
}

// True if a free place was taken (and not an entry replaced).
bool UnwindRules::Insert(uint64_t table, uint64_t hash, PackedRule rule) {
  const uint64_t first = Place(table, hash);
  const uint64_t line = first & ~uint64_t{kLine - 1};
  const uint64_t tag = hash << 7;
  const uint64_t fresh = tag | rule.bits();
  for (unsigned i = 0; i < kLine; ++i) {
    std::atomic<uint64_t>& place =
        Entries(table)[line | ((first + i) & (kLine - 1))];
    uint64_t entry = place.load(std::memory_order_relaxed);
    if (entry == 0 && place.compare_exchange_strong(
                          entry, fresh, std::memory_order_release)) {
      return true;
    }
    if ((entry ^ tag) < kOne) {
      place.store(fresh, std::memory_order_release);
      return false;
    }
  }
  Entries(table)[first].store(fresh, std::memory_order_release);
  return false;
}

void UnwindRules::Grow(uint64_t table) {
  if (growing.exchange(true, std::memory_order_acquire)) return;
  const unsigned old_bits = 64 - (table & kShift);
  const unsigned bits = old_bits + kGrowBits;
  const uint64_t fresh = NewTable(bits);
  for (uint64_t i = 0; fresh != 0 && i < uint64_t{1} << old_bits; ++i) {
    const uint64_t entry = Entries(table)[i].load(std::memory_order_acquire);
    if (entry == 0) continue;
    // The line gives the top bits of the hash, the tag the others.
    const uint64_t hash = (i / kLine * kLine) << (64 - old_bits) |
                          (entry & ~uint64_t{kOne - 1}) >> 7;
    Insert(fresh, hash, PackedRule(static_cast<uint32_t>(entry) & (kOne - 1)));
  }
  if (fresh != 0) {
    const uint64_t published = fresh | (table & kFlushMask);
    if (!table_.compare_exchange_strong(table, published,
                                        std::memory_order_acq_rel)) {
      OwnMemory::Unmap(Entries(fresh), sizeof(uint64_t) << bits,
                       OwnUse::kOther);
    }
  }
  growing.store(false, std::memory_order_release);
}

// The flush count in the word keeps a table that is being grown from being
// published with what was just flushed.
void UnwindRules::Flush() {
  uint64_t table = table_.load(std::memory_order_acquire);
  uint64_t flushed;
  do {
    if (table == 0) return;
    flushed = (table & ~kFlushMask) | ((table + kFlushStep) & kFlushMask);
  } while (
      !table_.compare_exchange_weak(table, flushed, std::memory_order_acq_rel));
  const uint64_t count = uint64_t{1} << (64 - (table & kShift));
  for (uint64_t i = 0; i < count; ++i) {
    Entries(table)[i].store(0, std::memory_order_relaxed);
  }
  used_entries.store(0, std::memory_order_relaxed);
}

}  // namespace heaptally

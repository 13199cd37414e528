#include "accounting/modules.h"

#include <dlfcn.h>
#include <elf.h>
#include <link.h>

#include "accounting/own_memory.h"
#include "accounting/sys.h"
#include "accounting/unwind_rules.h"

namespace heaptally {

std::atomic<uint64_t> Modules::state_{0};

namespace {

constexpr uint64_t kGenerationStep = uint64_t{1} << 32;
constexpr uint32_t kMaxModules = 1 << 16;
constexpr uint32_t kBuckets = 256;
constexpr size_t kPathBytes = size_t{16} << 20;
constexpr size_t kMaxPath = 4096;

std::atomic<Module*> records{nullptr};
std::atomic<char*> paths{nullptr};
std::atomic<uint32_t> reserved{1};  // index 0 is "none"
std::atomic<size_t> path_bytes{0};
std::atomic<uint32_t> buckets[kBuckets];
std::atomic<uint32_t> unloaded{0};
std::atomic<unsigned long long> unloads_seen{0};
std::atomic<Modules::UnloadedHook> unloaded_hook{nullptr};

std::atomic<uint32_t>& BucketOf(uintptr_t start) {
  return buckets[(start >> 12) * 0x9e3779b1u >> 24 & (kBuckets - 1)];
}

// A table that several threads may want to create at once.
template <typename T>
T* Reserved(std::atomic<T*>& table, size_t bytes) {
  T* p = table.load(std::memory_order_acquire);
  if (p != nullptr) return p;
  T* fresh = static_cast<T*>(OwnMemory::Reserve(bytes));
  if (fresh == nullptr) return nullptr;
  if (table.compare_exchange_strong(p, fresh, std::memory_order_acq_rel)) {
    return fresh;
  }
  sys::Munmap(fresh, bytes);
  return p;
}

const char* KeepPath(const char* path) {
  char buffer[kMaxPath];
  size_t length = 0;
  if (path == nullptr || *path == '\0') {  // the program itself
    constexpr char kSelf[] = "/proc/self/exe";
    const intptr_t n = sys::Call(SYS_readlink, sys::Arg(kSelf),
                                 sys::Arg(buffer), sizeof(buffer));
    if (sys::Failed(n)) return "";
    length = static_cast<size_t>(n);
    path = buffer;
  } else {
    while (length < kMaxPath && path[length] != '\0') ++length;
  }
  char* arena = Reserved(paths, kPathBytes);
  const size_t at = path_bytes.fetch_add(length + 1);
  if (arena == nullptr || at + length + 1 > kPathBytes) return "";
  for (size_t i = 0; i < length; ++i) arena[at + i] = path[i];
  OwnMemory::Count(OwnUse::kOther, static_cast<int64_t>(length + 1));
  return arena + at;
}

// Finds NT_GNU_BUILD_ID in the notes [p, end).
size_t BuildIdInNotes(const uint8_t* p, const uint8_t* end, size_t align,
                      uint8_t* id) {
  const auto round = [align](size_t n) {
    return (n + align - 1) & ~(align - 1);
  };
  while (static_cast<size_t>(end - p) >= sizeof(ElfW(Nhdr))) {
    ElfW(Nhdr) note;
    __builtin_memcpy(&note, p, sizeof(note));
    const uint8_t* name = p + sizeof(note);
    const size_t left = static_cast<size_t>(end - name);
    if (round(note.n_namesz) + note.n_descsz > left) return 0;
    const uint8_t* desc = name + round(note.n_namesz);
    if (note.n_type == NT_GNU_BUILD_ID && note.n_namesz == 4 &&
        __builtin_memcmp(name, "GNU", 4) == 0) {
      const size_t size = note.n_descsz < Module::kMaxBuildId
                              ? note.n_descsz
                              : Module::kMaxBuildId;
      for (size_t i = 0; i < size; ++i) id[i] = desc[i];
      return size;
    }
    if (round(note.n_descsz) >= static_cast<size_t>(end - desc)) return 0;
    p = desc + round(note.n_descsz);
  }
  return 0;
}

// The object's build id, from its mapped headers; 0 if it has none.
size_t ReadBuildId(const dl_find_object& object, uint8_t* id) {
  const auto* base = static_cast<const uint8_t*>(object.dlfo_map_start);
  const auto* end = static_cast<const uint8_t*>(object.dlfo_map_end);
  const auto* header = reinterpret_cast<const ElfW(Ehdr)*>(base);
  if (end - base < 4096 ||
      __builtin_memcmp(header->e_ident, ELFMAG, SELFMAG) != 0 ||
      header->e_phoff + header->e_phnum * sizeof(ElfW(Phdr)) > 4096) {
    return 0;
  }
  const auto* segment =
      reinterpret_cast<const ElfW(Phdr)*>(base + header->e_phoff);
  for (int i = 0; i < header->e_phnum; ++i) {
    if (segment[i].p_type != PT_NOTE) continue;
    const uint8_t* notes = reinterpret_cast<const uint8_t*>(
        object.dlfo_link_map->l_addr + segment[i].p_vaddr);
    if (notes < base || notes >= end ||
        segment[i].p_memsz > static_cast<size_t>(end - notes)) {
      continue;
    }
    const size_t align = segment[i].p_align == 8 ? 8 : 4;
    const size_t size =
        BuildIdInNotes(notes, notes + segment[i].p_memsz, align, id);
    if (size != 0) return size;
  }
  return 0;
}

bool SameObject(const Module& m, const dl_find_object& object) {
  return m.start == reinterpret_cast<uintptr_t>(object.dlfo_map_start) &&
         m.end == reinterpret_cast<uintptr_t>(object.dlfo_map_end) &&
         m.link_map == object.dlfo_link_map &&
         m.eh_frame_header == object.dlfo_eh_frame;
}

// Tells libraries apart that were loaded at the same address one after the
// other, even into the same link_map. Only while the object's code is running.
bool SameBuild(const Module& m, const dl_find_object& object) {
  uint8_t id[Module::kMaxBuildId];
  const size_t size = ReadBuildId(object, id);
  if (size != m.build_id_size) return false;
  if (size != 0) return __builtin_memcmp(id, m.build_id, size) == 0;
  const char* name = object.dlfo_link_map->l_name;
  if (name == nullptr || *name == '\0') return true;
  return __builtin_strcmp(name, m.path) == 0;
}

bool Loaded(const Module& m) {
  return m.end != 0 && m.generation.load(std::memory_order_acquire) == 0;
}

// Claims the record; only one thread calls the hook for it.
void DeclareUnloaded(Module& m) {
  uint16_t expected = 0;
  uint32_t g = unloaded.fetch_add(1) + 1;
  if (g > 0xffff) g = 0xffff;
  if (!m.generation.compare_exchange_strong(expected,
                                            static_cast<uint16_t>(g))) {
    return;
  }
  if (Modules::UnloadedHook hook = unloaded_hook.load()) {
    hook(m.start, m.end, static_cast<uint16_t>(g));
  }
}

Module* Add(const dl_find_object& object) {
  Module* table = Reserved(records, kMaxModules * sizeof(Module));
  if (table == nullptr) return nullptr;
  uint32_t index = reserved.load(std::memory_order_relaxed);
  do {
    if (index >= kMaxModules) return nullptr;
  } while (!reserved.compare_exchange_weak(index, index + 1,
                                           std::memory_order_acq_rel));
  OwnMemory::Count(OwnUse::kOther, sizeof(Module));
  Module& m = table[index];
  m.start = reinterpret_cast<uintptr_t>(object.dlfo_map_start);
  m.bias = object.dlfo_link_map->l_addr;
  m.link_map = object.dlfo_link_map;
  m.eh_frame_header = object.dlfo_eh_frame;
  m.path = KeepPath(object.dlfo_link_map->l_name);
  m.build_id_size = static_cast<uint8_t>(ReadBuildId(object, m.build_id));
  __atomic_store_n(&m.end, reinterpret_cast<uintptr_t>(object.dlfo_map_end),
                   __ATOMIC_RELEASE);
  return &m;
}

// Without this, an unloaded object could go unnoticed if another one, loaded
// by another thread meanwhile, looked the same down to its link_map.
unsigned long long UnloadsSoFar() {
  unsigned long long unloads = 0;
  dl_iterate_phdr(
      [](dl_phdr_info* info, size_t size, void* result) {
        if (size >=
            offsetof(dl_phdr_info, dlpi_subs) + sizeof(info->dlpi_subs)) {
          *static_cast<unsigned long long*>(result) = info->dlpi_subs;
        }
        return 1;
      },
      &unloads);
  return unloads;
}

}  // namespace

void Modules::Note(const dl_find_object& object) {
  const uintptr_t start = reinterpret_cast<uintptr_t>(object.dlfo_map_start);
  std::atomic<uint32_t>& bucket = BucketOf(start);
  Module* table = records.load(std::memory_order_acquire);
  const uint32_t newest = bucket.load(std::memory_order_acquire);
  for (uint32_t i = newest; i != 0; i = table[i].next.load()) {
    Module& m = table[i];
    if (Loaded(m) && SameObject(m, object) && SameBuild(m, object)) return;
  }
  NoteNew(object);
}

// Whatever was known where a new object lies is gone.
void Modules::NoteNew(const dl_find_object& object) {
  const uintptr_t start = reinterpret_cast<uintptr_t>(object.dlfo_map_start);
  const uintptr_t end = reinterpret_cast<uintptr_t>(object.dlfo_map_end);
  Module* table = records.load(std::memory_order_acquire);
  const uint32_t count = reserved.load(std::memory_order_acquire);
  bool stale = false;
  for (uint32_t i = 1; i < count; ++i) {
    if (!Loaded(table[i]) || table[i].start >= end || table[i].end <= start) {
      continue;
    }
    // Another thread may have been quicker to note the same object.
    if (SameObject(table[i], object) && SameBuild(table[i], object)) return;
    DeclareUnloaded(table[i]);
    stale = true;
  }
  if (stale) {
    state_.fetch_add(kGenerationStep, std::memory_order_acq_rel);
    UnwindRules::Flush();
  }
  Module* m = Add(object);
  if (m == nullptr) return;
  table = records.load(std::memory_order_acquire);
  std::atomic<uint32_t>& bucket = BucketOf(start);
  uint32_t head = bucket.load(std::memory_order_acquire);
  do {
    m->next.store(head, std::memory_order_relaxed);
  } while (!bucket.compare_exchange_weak(head, static_cast<uint32_t>(m - table),
                                         std::memory_order_release));
}

void Modules::BeforeClose() { state_.fetch_add(1, std::memory_order_acq_rel); }

void Modules::AfterClose() {
  Module* table = records.load(std::memory_order_acquire);
  const uint32_t count =
      table == nullptr ? 0 : reserved.load(std::memory_order_acquire);
  const unsigned long long unloads = UnloadsSoFar();
  bool stale = unloads_seen.exchange(unloads) != unloads;
  for (uint32_t i = 1; i < count; ++i) {
    Module& m = table[i];
    if (!Loaded(m)) continue;
    dl_find_object object;
    if (_dl_find_object(reinterpret_cast<void*>(m.start), &object) == 0 &&
        SameObject(m, object)) {
      continue;  // or one that looks the same: Note() will tell
    }
    DeclareUnloaded(m);
    stale = true;
  }
  if (stale) UnwindRules::Flush();
  state_.fetch_add((stale ? kGenerationStep : 0) - 1,
                   std::memory_order_acq_rel);
}

uint32_t Modules::Count() {
  const Module* table = records.load(std::memory_order_acquire);
  if (table == nullptr) return 0;
  uint32_t count = reserved.load(std::memory_order_acquire) - 1;
  while (count > 0 && table[count].end == 0) --count;
  return count;
}

const Module& Modules::At(uint32_t index) {
  return records.load(std::memory_order_acquire)[index + 1];
}

void Modules::SetUnloadedHook(UnloadedHook hook) { unloaded_hook.store(hook); }

}  // namespace heaptally

// The registry of monsters: a demo whose answers are known in advance.
//
//   monsters            waits for a line on stdin at each mark
//   monsters --auto S   goes on by itself after S seconds
//
// At dusk the registry is filled; that is mark 1. In the night some hatch, some
// are slain, and of a slain dragon the hoard is forgotten; that is mark 2. How
// many blocks and bytes each line marked `site:` then holds is a matter of
// arithmetic, and tests/monsters_test.py checks that heaptally counts the same.
// One thread; not a library.

#include <unistd.h>

#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <string_view>
#include <vector>

namespace monsters {

constexpr int kLedgerLines = 4096;  // one block of 8 bytes each
constexpr std::size_t kNameBytes = 40;
constexpr std::size_t kHoardBytes = 4096;
constexpr std::size_t kFootprintBytes = 100;

constexpr int kSlimesAtDusk = 1000;
constexpr int kDragonsAtDusk = 10;
constexpr int kSlimesHatched = 500;
constexpr int kDragonsHatched = 25;
constexpr int kSlimesSlain = 200;
constexpr int kDragonsSlain = 5;
constexpr int kFootprints = 10000;

struct Monster {
  char* name = nullptr;
  void* hoard = nullptr;  // dragons only
  double strength[6] = {};
};
static_assert(sizeof(Monster) == 64);

class Registry {
 public:
  Registry() {
    ledger_.reserve(kLedgerLines);  // site: ledger
  }

  void HatchSlimes(int count) {
    for (int i = 0; i < count; ++i) ledger_.push_back(Hatch("slime", i));
  }

  void HatchDragons(int count) {
    for (int i = 0; i < count; ++i) {
      Monster* dragon = Hatch("dragon", i);
      dragon->hoard = std::malloc(kHoardBytes);  // site: hoard
      ledger_.push_back(dragon);
    }
  }

  // Strikes `count` monsters from the ledger, the oldest first. A dragon's
  // hoard is left where it lies: this is the leak to be found.
  void Slay(std::string_view kind, int count) {
    for (Monster*& monster : ledger_) {
      if (count == 0) return;
      if (monster == nullptr || !IsA(*monster, kind)) continue;
      delete[] monster->name;
      delete monster;
      monster = nullptr;
      --count;
    }
  }

  int alive() const {
    int alive = 0;
    for (const Monster* monster : ledger_) alive += monster != nullptr;
    return alive;
  }

 private:
  static bool IsA(const Monster& monster, std::string_view kind) {
    return std::string_view(monster.name).starts_with(kind);
  }

  static Monster* Hatch(const char* kind, int number) {
    Monster* monster = new Monster;        // site: monster
    monster->name = new char[kNameBytes];  // site: name
    std::snprintf(monster->name, kNameBytes, "%s number %d", kind, number);
    return monster;
  }

  std::vector<Monster*> ledger_;
};

// Footprints are gone by the morning: many blocks ever, none now.
void Prowl(int steps) {
  for (int i = 0; i < steps; ++i) {
    void* footprint = std::malloc(kFootprintBytes);  // site: footprint
    std::memset(footprint, i, kFootprintBytes);
    asm volatile("" : : "r"(footprint) : "memory");
    std::free(footprint);
  }
}

// Says which mark is reached and stays there until told to go on.
void Mark(int number, const char* when, const Registry& registry, int seconds) {
  std::printf("mark %d: %s, %d monsters in the registry\n", number, when,
              registry.alive());
  std::fflush(stdout);
  if (seconds >= 0) {
    sleep(static_cast<unsigned>(seconds));
    return;
  }
  char c = 0;
  while (read(STDIN_FILENO, &c, 1) == 1 && c != '\n') continue;
}

void Dusk(Registry& registry) {
  registry.HatchSlimes(kSlimesAtDusk);
  registry.HatchDragons(kDragonsAtDusk);
}

void Night(Registry& registry) {
  registry.Slay("slime", kSlimesSlain);
  registry.HatchSlimes(kSlimesHatched);
  registry.Slay("dragon", kDragonsSlain);
  registry.HatchDragons(kDragonsHatched);
  Prowl(kFootprints);
}

}  // namespace monsters

int main(int argc, char** argv) {
  int seconds = -1;
  if (argc == 3 && std::strcmp(argv[1], "--auto") == 0) {
    seconds = std::atoi(argv[2]);
  } else if (argc != 1) {
    std::fprintf(stderr, "usage: monsters [--auto SECONDS]\n");
    return 2;
  }
  monsters::Registry registry;
  monsters::Dusk(registry);
  monsters::Mark(1, "dusk", registry, seconds);
  monsters::Night(registry);
  monsters::Mark(2, "dawn", registry, seconds);
  std::puts("the night is over");
  return 0;
}

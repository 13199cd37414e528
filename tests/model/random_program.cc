// A random program that knows what its books must say.
//
//   random_program DIRECTORY SEED THREADS STEPS WAY MIN_SIZE
//
// takes snapshots of itself between rounds of random allocations through every
// door, and writes DIRECTORY/expected.jsonl and DIRECTORY/N.heaptally.
// WAY:
//   parallel  each thread has its own books; blocks change hands
//   load      and snapshots, of which only the balance is known, are taken
//             while all allocate
//   flip      and recording goes off and on meanwhile: of blocks and totals
//             all is known, of call sites nothing
//   signals   and handlers allocate and free wherever a timer finds a thread
//   fork      in the middle the process forks, and the child goes on alone
//   serial    one set of books under a lock: the peak is known too
//   reset     and peaks are reset between snapshots
//   switch    and recording goes off and on between snapshots
//   sampled   and the mode is sampled: nothing is known of call sites
//   counters  and the mode is counters: no block has a call site
#include <errno.h>
#include <fcntl.h>
#include <malloc.h>
#include <signal.h>
#include <sys/time.h>
#include <sys/wait.h>

#include "tests/model/books.h"
#include "tests/model/control_client.h"
#include "tests/support/threads.h"

namespace model {
namespace {

constexpr int kMaxThreads = 8;
constexpr int kRounds = 6;

struct Settings {
  const char* directory;
  uint64_t seed;
  int threads;
  int steps;
  const char* way;
  size_t min_size;
};

Settings settings;
Books* books[kMaxThreads];  // One only, unless the way is parallel.
int books_count = 0;
pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
pthread_barrier_t barrier;
bool recording = true;
int expected_fd = -1;
char long_text[1001];

bool WayIs(const char* way) { return strcmp(settings.way, way) == 0; }

bool ThreadsHaveBooks() {
  const bool one_set = WayIs("serial") || WayIs("reset") || WayIs("switch") ||
                       WayIs("sampled") || WayIs("counters");
  return settings.threads > 1 && !one_set;
}

int KeyOf(int site, Door door, size_t requested) {
  if (!recording) {
    return kBeforeRecording;
  }
  return requested < settings.min_size ? kBelowMinSize : site * kDoors + door;
}

size_t RandomSize(Random& random) {
  switch (random.Below(50)) {
    case 0:
      return random.Below(1 << 20);
    case 1:
    case 2:
    case 3:
      return random.Below(64 << 10);
    case 4:
    case 5:
    case 6:
    case 7:
    case 8:
    case 9:
      return random.Below(4096);
    default:
      return random.Below(300);
  }
}

__attribute__((noinline)) Block MakeBlock(Random& random, void* old) {
  Block block;
  int site = int(random.Below(kSites));
  block.door = old == nullptr ? Door(random.Below(kDoors))
                              : (random.Below(2) ? kRealloc : kReallocarray);
  block.request.size = RandomSize(random);
  block.request.alignment = size_t{16} << random.Below(9);
  block.request.old = old;
  block.request.text = long_text + random.Below(1000);
  block.requested = Fit(block.door, &block.request);
  block.key = KeyOf(site, block.door, block.requested);
  block.address = Allocate(site, block.door, block.request);
  block.usable = malloc_usable_size(block.address);
  CHECK_GE(block.usable, block.requested);
  return block;
}

void ReleaseOne(Books& own, Random& random) {
  Block block = own.Remove(random.Below(own.size()));
  Release(block.address, block.door, block.request, unsigned(random.Next()));
}

// A new block, or a block that changes its size. In place the old one goes
// before the new one comes; a block that moves is there twice for a moment.
// MakeBlock is called here only: one traceback for each call site and door.
__attribute__((noinline)) void MakeOrResize(Books& own, Random& random,
                                            bool resize) {
  size_t index = resize ? random.Below(own.size()) : 0;
  resize = resize && own.block(index).door < kNew;
  // Hidden, or the compiler makes a call for either case.
  void* old = Keep(resize ? own.block(index).address : nullptr);
  Block block = MakeBlock(random, old);
  if (old != nullptr && old == block.address) {
    own.Remove(index);
    old = nullptr;
  }
  own.Add(block);
  if (old != nullptr) {
    own.Remove(index);
  }
}

// What fails changes nothing in the books.
void Fail(Books& own, Random& random) {
  CHECK(malloc(KeepSize(PTRDIFF_MAX)) == nullptr);
  CHECK(calloc(KeepSize(SIZE_MAX), 2) == nullptr);
  void* untouched = nullptr;
  CHECK(posix_memalign(&untouched, KeepSize(24), 100) != 0);
  if (own.size() > 0) {
    const Block& block = own.block(random.Below(own.size()));
    if (block.door < kNew) {
      CHECK(realloc(block.address, KeepSize(PTRDIFF_MAX)) == nullptr);
      CHECK_EQ(malloc_usable_size(block.address), block.usable);
    }
  }
}

void Step(Books& own, Random& random, bool grow) {
  size_t choice = random.Below(100);
  if (own.size() == 0) {
    choice = 0;
  }
  const size_t new_ones = grow ? 55 : 30;
  if (choice < new_ones + 14) {
    MakeOrResize(own, random, choice >= new_ones);
  } else if (choice < 99) {
    ReleaseOne(own, random);
  } else {
    Fail(own, random);
  }
}

// Blocks change hands through the books beyond the threads' own.
void Exchange(Books& own, Random& random) {
  Books& shared = *books[settings.threads];
  pthread_mutex_lock(&lock);
  if (own.size() > 0 && random.Below(2) == 0) {
    shared.Add(own.Remove(random.Below(own.size())));
  } else if (shared.size() > 0) {
    own.Add(shared.Remove(random.Below(shared.size())));
  }
  pthread_mutex_unlock(&lock);
}

void RunRound(int thread, Random& random) {
  for (int i = 0; i < settings.steps; ++i) {
    bool grow = i / (settings.steps / 12 + 1) % 3 != 2;
    if (ThreadsHaveBooks()) {
      Step(*books[thread], random, grow);
      if (random.Below(5) == 0) {
        Exchange(*books[thread], random);
      }
    } else {
      pthread_mutex_lock(&lock);
      Step(*books[0], random, grow);
      pthread_mutex_unlock(&lock);
    }
  }
}

void* ThreadBody(void* argument) {
  auto thread = int(reinterpret_cast<intptr_t>(argument));
  Random random(settings.seed * 100 + uint64_t(thread));
  for (int round = 0; round < kRounds; ++round) {
    pthread_barrier_wait(&barrier);
    RunRound(thread, random);
    pthread_barrier_wait(&barrier);
  }
  return nullptr;
}

// What handlers have allocated; all of it is freed again before a snapshot
// whose contents are known.
std::atomic<int64_t> handler_ever[3];

void CountInHandler(void* block, size_t requested) {
  handler_ever[0] += 1;
  handler_ever[1] += int64_t(requested);
  handler_ever[2] += int64_t(malloc_usable_size(block));
}

void Handler(int) {
  int saved_errno = errno;
  for (size_t size : {24, 700, 20000}) {
    void* block = malloc(size);
    CountInHandler(block, size);
    Fill(block, size, 3);
    block = realloc(block, size * 2);
    CountInHandler(block, size * 2);
    CHECK(IsFilled(block, size, 3));
    free(block);
  }
  errno = saved_errno;
}

void ArmTimer(int microseconds) {
  itimerval timer = {{0, microseconds}, {0, microseconds}};
  CHECK_EQ(setitimer(ITIMER_REAL, &timer, nullptr), 0);
}

const char* SaveSnapshot(const char* name, int number) {
  static char path[1000];
  char digits[] = {char('0' + number / 10), char('0' + number % 10), '\0'};
  CHECK(strlen(settings.directory) + 40 < sizeof path);
  strcat(strcat(strcpy(path, settings.directory), name), digits);
  strcat(path, ".heaptally");
  int fd = open(path, O_RDWR | O_CREAT | O_TRUNC | O_CLOEXEC, 0600);
  CHECK(fd >= 0);
  Ask("snapshot", fd);
  close(fd);
  return path;
}

// While it is taken nothing allocates.
void TakeSnapshot(int number) {
  const char* path = SaveSnapshot("/", number);
  Amount beside = {handler_ever[0], handler_ever[1], handler_ever[2]};
  WriteExpectation(expected_fd, path,
                   {.peak_known = !ThreadsHaveBooks(),
                    .keys_known = !WayIs("flip") && !WayIs("sampled"),
                    .ever_beside = beside},
                   books, books_count);
}

void DisturbWhileAllAllocate(int round) {
  if (WayIs("signals")) {
    ArmTimer(1000);
  }
  for (int i = 0; i < 4; ++i) {
    usleep(3000);
    if (WayIs("flip")) {
      Ask(i % 2 == 0 ? "record counters" : "record all", -1);
    }
    if (!WayIs("parallel")) {
      SaveSnapshot("/load", round * 4 + i);
    }
  }
}

void BetweenRounds(int round) {
  TakeSnapshot(round + 1);
  if (WayIs("reset")) {
    Ask("reset-peak", -1);
    books[0]->ResetPeak();
  }
  if (WayIs("switch")) {
    recording = round % 2 != 0;
    Ask(recording ? "record all" : "record counters", -1);
  }
}

// The child goes on; the parent ends as the child does.
void GoOnInAChild() {
  pid_t child = fork();
  CHECK(child >= 0);
  if (child == 0) {
    ConnectTo(settings.directory);
    return;
  }
  int status = 0;
  CHECK_EQ(waitpid(child, &status, 0), child);
  _exit(WIFEXITED(status) ? WEXITSTATUS(status) : CHECK_FAILED_STATUS);
}

void ReleaseAll() {
  Random random(settings.seed);
  for (int i = 0; i < books_count; ++i) {
    while (books[i]->size() > 0) {
      ReleaseOne(*books[i], random);
    }
  }
}

// In the main thread alone, so that the process has one thread.
void RunAlone(int first_round) {
  Random random(settings.seed + uint64_t(first_round));
  for (int round = first_round; round < kRounds; ++round) {
    RunRound(0, random);
    if (round == kRounds - 1) {
      ReleaseAll();
    }
    BetweenRounds(round);
    if (WayIs("fork") && round % 2 == 0) {
      GoOnInAChild();
    }
  }
}

void RunInThreads() {
  pthread_barrier_init(&barrier, nullptr, unsigned(settings.threads) + 1);
  pthread_t threads[kMaxThreads];
  for (intptr_t i = 0; i < settings.threads; ++i) {
    threads[i] = StartThread(ThreadBody, reinterpret_cast<void*>(i));
  }
  TakeSnapshot(0);
  for (int round = 0; round < kRounds; ++round) {
    pthread_barrier_wait(&barrier);
    if (!WayIs("fork") && ThreadsHaveBooks()) {
      DisturbWhileAllAllocate(round);
    }
    pthread_barrier_wait(&barrier);
    ArmTimer(0);
    if (round == kRounds - 1) {
      ReleaseAll();
    }
    BetweenRounds(round);
    if (WayIs("fork") && round == 2) {
      GoOnInAChild();
      return RunAlone(round + 1);
    }
  }
  for (int i = 0; i < settings.threads; ++i) {
    JoinThread(threads[i]);
  }
}

void Prepare(char** argv) {
  settings = {argv[1],       strtoull(argv[2], nullptr, 10),
              atoi(argv[3]), atoi(argv[4]),
              argv[5],       strtoull(argv[6], nullptr, 10)};
  CHECK(settings.threads < kMaxThreads);
  books_count = ThreadsHaveBooks() ? settings.threads + 1 : 1;
  struct sigaction action = {};
  action.sa_handler = Handler;
  action.sa_flags = SA_RESTART;
  CHECK_EQ(sigaction(SIGALRM, &action, nullptr), 0);
  for (int i = 0; i < books_count; ++i) {
    books[i] = Books::Create(uint64_t(i) << 32);
  }
  recording = !WayIs("counters");
  memset(long_text, 't', sizeof long_text - 1);
  char path[1000];
  CHECK(strlen(settings.directory) + 20 < sizeof path);
  strcat(strcpy(path, settings.directory), "/expected.jsonl");
  expected_fd = open(path, O_WRONLY | O_CREAT | O_TRUNC | O_CLOEXEC, 0600);
  CHECK(expected_fd >= 0);
  ConnectTo(settings.directory);
}

}  // namespace
}  // namespace model

int main(int argc, char** argv) {
  CHECK_EQ(argc, 7);
  model::Prepare(argv);
  if (model::settings.threads == 1) {
    model::TakeSnapshot(0);
    model::RunAlone(0);
  } else {
    model::RunInThreads();
  }
}

// The macros of heaptally_gtest.h: what passes, what fails, with which numbers.
#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <heaptally_gtest.h>
#include <stdlib.h>

#include <atomic>
#include <functional>
#include <stdexcept>
#include <string>
#include <thread>
#include <vector>

#include "gtest/gtest-spi.h"

namespace {

using ::testing::AllOf;
using ::testing::ContainsRegex;
using ::testing::HasSubstr;
using ::testing::Not;

void* kept[64];

[[gnu::noinline]] void* Allocate(size_t size) {
  void* block = malloc(size);
  asm volatile("" : "+r"(block));
  return block;
}

[[gnu::noinline]] void* AllocateElsewhere(size_t size) {
  void* block = Allocate(size);
  asm volatile("" : "+r"(block));
  return block;
}

[[gnu::noinline]] void* AllocateForGood(size_t size) {
  void* block = Allocate(size);
  asm volatile("" : "+r"(block));
  return block;
}

// What the code fails with, or "" if it does not fail.
std::string FailureOf(const std::function<void()>& code) {
  ::testing::TestPartResultArray results;
  {
    ::testing::ScopedFakeTestPartResultReporter reporter(
        ::testing::ScopedFakeTestPartResultReporter::
            INTERCEPT_ONLY_CURRENT_THREAD,
        &results);
    code();
  }
  std::string failures;
  for (int i = 0; i < results.size(); ++i) {
    if (results.GetTestPartResult(i).failed()) {
      failures += results.GetTestPartResult(i).message();
    }
  }
  return failures;
}

TEST(NoLeaks, PassesWhenAllIsFreed) {
  EXPECT_NO_LEAKS {
    free(Allocate(100));
    std::vector<std::string> strings(10, std::string(100, 'x'));
  }
}

TEST(NoLeaks, TellsBlocksBytesAndLines) {
  const std::string failure = FailureOf([] {
    EXPECT_NO_LEAKS {
      for (int i = 0; i < 40; ++i) kept[i] = Allocate(100);
      kept[40] = AllocateElsewhere(5000);
      free(Allocate(3));
    }
  });
  for (int i = 0; i <= 40; ++i) free(kept[i]);
  EXPECT_THAT(failure, HasSubstr("leaks 41 blocks, 9000 bytes (9600 usable): "
                                 "allocated here and not freed"));
  EXPECT_THAT(failure, HasSubstr("1 block, 5000 bytes (5120 usable) from\n"
                                 "    (anonymous namespace)::Allocate("));
  EXPECT_THAT(failure, HasSubstr("40 blocks, 4000 bytes (4480 usable) from"));
  EXPECT_THAT(failure, ContainsRegex("Allocate.unsigned long.  "
                                     "[^\n]*/expectations_test.cc:26\n"));
  EXPECT_THAT(failure, ContainsRegex("AllocateElsewhere[^\n]*:32\n"));
  EXPECT_THAT(failure, Not(HasSubstr("testing::")));
}

TEST(NoLeaks, IgnoresOlderBlocksButNotTheirGrowth) {
  void* older = Allocate(100);
  EXPECT_EQ(FailureOf([&] {
              EXPECT_NO_LEAKS { free(older); }
            }),
            "");
  older = Allocate(100);
  void* grown = nullptr;
  EXPECT_THAT(FailureOf([&] {
                EXPECT_NO_LEAKS { grown = realloc(older, 3000); }
              }),
              HasSubstr("leaks 1 block, 3000 bytes"));
  free(grown);
}

TEST(NoLeaks, SeesOtherThreads) {
  const std::string failure = FailureOf([] {
    EXPECT_NO_LEAKS {
      std::thread([] { kept[0] = Allocate(123); }).join();
    }
  });
  free(kept[0]);
  EXPECT_THAT(failure, HasSubstr("leaks 1 block, 123 bytes"));
}

TEST(NoLeaks, WaitsForAThreadThatIsAboutToFree) {
  std::atomic<bool> go{false};
  std::thread other([&] {
    while (!go) std::this_thread::yield();
    void* const block = Allocate(50);
    go = false;
    std::this_thread::sleep_for(std::chrono::milliseconds(5));
    free(block);
  });
  EXPECT_NO_LEAKS {
    free(Allocate(1));
    go = true;
    while (go) std::this_thread::yield();
  }
  other.join();
}

TEST(NoLeaks, LeavesOutGoogleTestsOwnMemory) {
  const std::string failure = FailureOf([] {
    EXPECT_NO_LEAKS {
      EXPECT_EQ(1, 2) << "a failure that GoogleTest keeps";
      kept[0] = Allocate(77);
    }
  });
  free(kept[0]);
  EXPECT_THAT(failure, AllOf(HasSubstr("leaks 1 block, 77 bytes"),
                             HasSubstr("of GoogleTest's own")));
}

[[gnu::noinline]] std::string& Cache() {
  static std::string* const cache = new std::string(1000, 'x');
  return *cache;
}

TEST(NoLeaksWhenRepeated, LetsCachesBeFilled) {
  int runs = 0;
  EXPECT_NO_LEAKS_WHEN_REPEATED {
    Cache()[0] = 'y';
    ++runs;
  }
  EXPECT_EQ(runs, 2);
  EXPECT_THAT(FailureOf([&] {
                EXPECT_NO_LEAKS_WHEN_REPEATED { kept[runs++] = Allocate(9); }
              }),
              HasSubstr("leaks 1 block, 9 bytes"));
  free(kept[2]);
  free(kept[3]);
}

TEST(NoLeaksWhenRepeated, FailsIfTheSecondRunIsNotReached) {
  EXPECT_THAT(FailureOf([&] {
                EXPECT_NO_LEAKS_WHEN_REPEATED { break; }
              }),
              HasSubstr("left its baseline run"));
}

TEST(NoLeaksFrom, LooksForTheFunctionFileAndLine) {
  const auto leak = [] { kept[0] = AllocateElsewhere(10); };
  EXPECT_EQ(FailureOf([&] {
              EXPECT_NO_LEAKS_FROM("NoSuchFunction") { leak(); }
            }),
            "");
  free(kept[0]);
  for (const char* from : {"AllocateElsewhere\\(", "expectations_test.cc:32"}) {
    EXPECT_THAT(FailureOf([&] {
                  EXPECT_NO_LEAKS_FROM(from) { leak(); }
                }),
                HasSubstr("leaks 1 block, 10 bytes"));
    free(kept[0]);
  }
  EXPECT_THAT(FailureOf([&] {
                EXPECT_NO_LEAKS_FROM("(") { leak(); }
              }),
              HasSubstr("'(': "));
  free(kept[0]);
}

TEST(NoLeaks, HonoursSuppressions) {
  ASSERT_EQ(heaptally::gtest::SuppressLeaks("function: .*::AllocateForGood"),
            "");
  const std::string failure = FailureOf([] {
    EXPECT_NO_LEAKS {
      kept[0] = AllocateForGood(10);
      kept[1] = Allocate(20);
    }
  });
  free(kept[0]);
  free(kept[1]);
  EXPECT_THAT(failure, HasSubstr("leaks 1 block, 20 bytes"));
  EXPECT_THAT(failure, HasSubstr("not counted: 1 block, 10 bytes (16 usable) "
                                 "suppressed by 'function: .*::Allocate"));
}

TEST(Allocations, AreCountedExactly) {
  EXPECT_ALLOCATIONS_LE(3) {
    for (int i = 0; i < 3; ++i) free(Allocate(8));
  }
  const std::string failure = FailureOf([] {
    EXPECT_ALLOCATIONS_LE(49) {
      for (int i = 0; i < 50; ++i) free(Allocate(10));
    }
  });
  EXPECT_THAT(failure, HasSubstr("50 allocations, at most 49 expected\n"
                                 "  50 blocks, 500 bytes (800 usable) from"));
}

TEST(Allocations, OfAllThreadsAreCounted) {
  const auto work = [] {
    std::vector<std::thread> threads;
    threads.reserve(4);
    for (int t = 0; t < 4; ++t) {
      threads.emplace_back([] {
        for (int i = 0; i < 1000; ++i) free(Allocate(10));
      });
    }
    for (std::thread& thread : threads) thread.join();
  };
  // The vector, and a state for each std::thread.
  EXPECT_EQ(FailureOf([&] {
              EXPECT_ALLOCATIONS_LE(4005) { work(); }
            }),
            "");
  const std::string failure = FailureOf([&] {
    EXPECT_ALLOCATIONS_FROM_LE("::Allocate\\(", 3999) { work(); }
  });
  EXPECT_THAT(failure, HasSubstr("4000 allocations"));
  EXPECT_THAT(failure, HasSubstr("at most 3999 expected"));
}

TEST(NoAllocations, PassesWithoutAny) {
  int sum = 0;
  EXPECT_NO_ALLOCATIONS {
    for (int i = 0; i < 10; ++i) sum += i;
  }
  EXPECT_EQ(sum, 45);
}

TEST(NoAllocations, FailsForOne) {
  EXPECT_THAT(FailureOf([] {
                EXPECT_NO_ALLOCATIONS { free(Allocate(10)); }
              }),
              AllOf(HasSubstr("1 allocation, at most 0 expected"),
                    HasSubstr("Allocate(unsigned long)")));
}

TEST(NoAllocations, LeavesOutGoogleTestsOwn) {
  const std::string failure = FailureOf([] {
    EXPECT_NO_ALLOCATIONS { EXPECT_EQ(1, 2) << "why"; }
  });
  EXPECT_THAT(failure, Not(HasSubstr("at most 0 expected")));
}

TEST(NoAllocations, NestsInOneThatAllows) {
  std::string inner;
  const std::string outer = FailureOf([&] {
    EXPECT_ALLOCATIONS_LE(1) {
      EXPECT_NO_ALLOCATIONS { free(Allocate(10)); }
    }
  });
  EXPECT_THAT(outer, HasSubstr("at most 0 expected"));
  EXPECT_THAT(outer, Not(HasSubstr("at most 1 expected")));
}

TEST(ThreadAllocations, AreTheCallersAlone) {
  std::atomic<bool> end{false};
  std::thread other([&] {
    while (!end) free(Allocate(64));
  });
  EXPECT_NO_THREAD_ALLOCATIONS { std::this_thread::yield(); }
  const std::string failure = FailureOf([] {
    EXPECT_THREAD_ALLOCATIONS_LE(2) {
      for (int i = 0; i < 30; ++i) free(Allocate(10));
    }
  });
  end = true;
  other.join();
  EXPECT_THAT(failure, HasSubstr("30 allocations by this thread, at most 2"));
  EXPECT_THAT(failure, HasSubstr("\n  30 blocks, 300 bytes (480 usable) from"));
}

TEST(Peak, IsExact) {
  EXPECT_PEAK_LE(2048 + 1024) {
    void* const block = Allocate(2000);
    free(Allocate(1000));
    free(block);
    free(Allocate(3000));
  }
  const std::string failure = FailureOf([] {
    EXPECT_PEAK_LE(2048 + 1023) {
      void* const block = Allocate(2000);
      free(Allocate(1000));
      free(block);
    }
  });
  EXPECT_THAT(failure, HasSubstr("the heap grew by 3072 usable bytes, at most "
                                 "3071 expected"));
}

TEST(Peak, ThatCannotBeToldFails) {
  const auto work = [] {
    free(Allocate(10));
    std::thread([] { free(Allocate(10)); }).join();
  };
  EXPECT_THAT(FailureOf([&] {
                EXPECT_PEAK_LE(100000) { work(); }
              }),
              HasSubstr("it cannot be told whether it is at most 100000"));
  EXPECT_PEAK_LE(1000000) { work(); }
}

TEST(Expectation, ChecksHoweverTheCodeIsLeft) {
  EXPECT_THAT(FailureOf([] {
                EXPECT_NO_ALLOCATIONS {
                  free(Allocate(10));
                  return;
                }
              }),
              HasSubstr("1 allocation"));
  EXPECT_THAT(FailureOf([] {
                EXPECT_NO_ALLOCATIONS {
                  free(Allocate(10));
                  break;
                }
              }),
              HasSubstr("1 allocation"));
  EXPECT_THAT(FailureOf([] {
                try {
                  EXPECT_NO_LEAKS {
                    kept[0] = Allocate(10);
                    throw 1;
                  }
                } catch (int) {
                }
              }),
              AllOf(HasSubstr("leaks 2 blocks"),  // what is thrown lives on
                    HasSubstr("1 block, 10 bytes"),
                    HasSubstr("__cxa_allocate_exception")));
  free(kept[0]);
}

}  // namespace

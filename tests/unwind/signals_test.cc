// Walks out of signal handlers, on the thread's stack and on an alternate one.
#include <gtest/gtest.h>
#include <signal.h>
#include <ucontext.h>

#include <functional>
#include <memory>

#include "tests/unwind/stacks_testing.h"

namespace heaptally::unwind {
namespace {

void OnSignal(int) { Nest(2, CheckHere); }

void WithHandler(int flags, const std::function<void()>& f) {
  struct sigaction action = {}, old;
  action.sa_handler = OnSignal;
  action.sa_flags = flags;
  sigaction(SIGUSR1, &action, &old);
  f();
  sigaction(SIGUSR1, &old, nullptr);
}

TEST_F(Stacks, SignalHandlerOnTheNormalStack) {
  WithHandler(0, [] {
    for (int i = 0; i < 4; ++i) {
      Nest(i, [] {
        CheckHere();
        raise(SIGUSR1);
        CheckHere();
      });
    }
  });
  EXPECT_EQ(Findings().incomplete, 0u);
}

TEST_F(Stacks, SignalHandlerOnAnAlternateStack) {
  // Below and above the thread's stack in memory.
  std::unique_ptr<char[]> heap(new char[1 << 16]);
  static char data[1 << 16];
  for (char* memory : {heap.get(), data}) {
    stack_t stack = {}, old;
    stack.ss_sp = memory;
    stack.ss_size = 1 << 16;
    sigaltstack(&stack, &old);
    WithHandler(SA_ONSTACK, [] {
      for (int i = 0; i < 4; ++i) {
        Nest(i, [] {
          CheckHere();
          raise(SIGUSR1);
          CheckHere();
        });
      }
    });
    sigaltstack(&old, nullptr);
  }
  EXPECT_EQ(Findings().incomplete, 0u);
}

// A frame's stack pointer may be the first address of a page that was not read
// yet.
TEST_F(Stacks, AlternateStackThatBeginsAnywhereInAPage) {
  constexpr size_t kSize = 1 << 16;
  std::unique_ptr<char[]> memory(new char[kSize + 4096]);
  for (size_t shift = 0; shift < 4096; shift += 64) {
    stack_t stack = {}, old;
    stack.ss_sp = memory.get() + shift;
    stack.ss_size = kSize;
    sigaltstack(&stack, &old);
    WithHandler(SA_ONSTACK, [] { raise(SIGUSR1); });
    sigaltstack(&old, nullptr);
  }
  EXPECT_EQ(Findings().incomplete, 0u);
}

// A fault in the middle of a function, whose next instruction is another's.
TEST_F(Stacks, SignalAtAFaultingInstruction) {
  struct sigaction action = {}, old;
  action.sa_sigaction = [](int, siginfo_t*, void* context) {
    CheckHere();
    static_cast<ucontext_t*>(context)->uc_mcontext.gregs[REG_RIP] += 2;
  };
  action.sa_flags = SA_SIGINFO;
  sigaction(SIGILL, &action, &old);
  Nest(1, [] { asm volatile("ud2"); });
  sigaction(SIGILL, &old, nullptr);
  EXPECT_EQ(Findings().incomplete, 0u);
}

}  // namespace
}  // namespace heaptally::unwind

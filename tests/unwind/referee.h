// Compares our walk of the calling thread's stack with libgcc's unwinder, as
// Boost.Stacktrace uses it. For tests only; allocates; one thread at a time.
#ifndef HEAPTALLY_TESTS_UNWIND_REFEREE_H_
#define HEAPTALLY_TESTS_UNWIND_REFEREE_H_

#include <cstdint>
#include <string>
#include <vector>

#include "accounting/stack_walk.h"
#include "accounting/types.h"

namespace heaptally::unwind {

// Calls fn(context of the caller of this function, argument): what an entry
// point such as malloc does.
extern "C" void CallWithContext(CallerContext* context,
                                void (*fn)(CallerContext*, void*),
                                void* argument);

// The stack outwards from the frame at `context`, as libgcc's unwinder
// (through Boost.Stacktrace) has it; where `interrupted`, libgcc gives the
// instruction itself and not the one after it.
struct RefereeStack {
  std::vector<uintptr_t> pcs;
  std::vector<bool> interrupted;
};
RefereeStack RefereeFrom(const CallerContext& context);

// The thread's cache for the walks in these tests.
WalkCache& TestCache();

// What the walks have shown so far. `report` describes the first mistakes.
struct Verdict {
  uint64_t walks = 0;
  uint64_t frames = 0;
  uint64_t wrong = 0;
  uint64_t incomplete = 0;  // ended early, for an honest reason
  std::string report;
};
Verdict& Findings();

// Walks in all our ways from the caller of this function, compares each with
// the referee and with node ids that a recorder would have filled in.
void CheckHere();

// The same from a context, which must lie on the current call chain.
void CheckFrom(const CallerContext& context);

// How the last walk ended, and its frames innermost first.
WalkEnd LastEnd();
std::vector<uintptr_t> LastWalk();

}  // namespace heaptally::unwind

#endif  // HEAPTALLY_TESTS_UNWIND_REFEREE_H_

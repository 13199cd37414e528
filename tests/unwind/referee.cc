#include "tests/unwind/referee.h"

#include <dlfcn.h>
#include <unwind.h>

#include <boost/stacktrace/safe_dump_to.hpp>
#include <cstdio>
#include <map>
#include <utility>

#include "accounting/walk_report.h"

// Leaves what it calls in place on the stack, with unwind data.
asm(R"(
.text
.globl CallWithContext
.type CallWithContext, @function
CallWithContext:
  .cfi_startproc
  mov (%rsp), %rax
  mov %rax, (%rdi)
  lea 8(%rsp), %rax
  mov %rax, 8(%rdi)
  mov %rbp, 16(%rdi)
  sub $8, %rsp
  .cfi_adjust_cfa_offset 8
  mov %rsi, %rax
  mov %rdx, %rsi
  call *%rax
  add $8, %rsp
  .cfi_adjust_cfa_offset -8
  ret
  .cfi_endproc
.size CallWithContext, . - CallWithContext
)");

namespace heaptally::unwind {
namespace {

constexpr uint32_t kLimit = 4096;

std::string Name(uintptr_t pc) {
  char text[256];
  Dl_info info = {};
  const bool found = dladdr(reinterpret_cast<void*>(pc - 1), &info) != 0;
  std::snprintf(text, sizeof(text), "%#zx %s %s", static_cast<size_t>(pc),
                found && info.dli_sname != nullptr ? info.dli_sname : "?",
                found && info.dli_fname != nullptr ? info.dli_fname : "?");
  return text;
}

struct Trace {
  std::vector<bool> before;
  std::vector<uintptr_t> ips;
};

_Unwind_Reason_Code AddFrame(_Unwind_Context* context, void* argument) {
  auto* trace = static_cast<Trace*>(argument);
  int before = 0;
  trace->ips.push_back(_Unwind_GetIPInfo(context, &before));
  trace->before.push_back(before != 0);
  return _URC_NO_REASON;
}

bool Agree(const RefereeStack& referee, const std::vector<uintptr_t>& ours) {
  if (referee.pcs.size() != ours.size()) return false;
  for (size_t i = 0; i < ours.size(); ++i) {
    if (ours[i] != referee.pcs[i] + (referee.interrupted[i] ? 1 : 0)) {
      return false;
    }
  }
  return true;
}

void Describe(const char* what, const RefereeStack& referee,
              const std::vector<uintptr_t>& ours, WalkEnd end) {
  Verdict& verdict = Findings();
  if (++verdict.wrong > 3) return;
  verdict.report += std::string(what) + ", walk ended with reason " +
                    std::to_string(static_cast<uint32_t>(end)) + "\n";
  for (size_t i = 0; i < ours.size() || i < referee.pcs.size(); ++i) {
    if (i > 40) break;
    verdict.report +=
        "  " + (i < ours.size() ? Name(ours[i]) : "-") + "   |   " +
        (i < referee.pcs.size() ? Name(referee.pcs[i]) : "-") + "\n";
  }
}

std::vector<uintptr_t> Frames(const WalkCache& cache) {
  std::vector<uintptr_t> pcs;
  for (uint32_t i = cache.depth(); i-- > 0;) {
    pcs.push_back(cache.frames()[i].pc);
  }
  return pcs;
}

// A recorder in miniature: node ids by path, as the traceback table gives.
bool NodesAgree(WalkCache& cache) {
  static std::map<std::pair<NodeId, uintptr_t>, NodeId> nodes;
  NodeId parent = static_cast<NodeId>(cache.end());
  bool agree = true;
  for (uint32_t i = 0; i < cache.depth(); ++i) {
    WalkFrame& frame = cache.frames()[i];
    const NodeId fresh = kFirstNode + static_cast<NodeId>(nodes.size());
    const NodeId node =
        nodes.emplace(std::make_pair(parent, frame.pc), fresh).first->second;
    if (i < cache.first_new() && frame.node != node) agree = false;
    parent = frame.node = node;
  }
  cache.MarkNodesKnown();
  return agree;
}

}  // namespace

Verdict& Findings() {
  static Verdict verdict;
  return verdict;
}

WalkCache& TestCache() {
  static thread_local WalkCache cache;
  return cache;
}

WalkEnd LastEnd() { return TestCache().end(); }
std::vector<uintptr_t> LastWalk() { return Frames(TestCache()); }

RefereeStack RefereeFrom(const CallerContext& context) {
  static const void* dump[kLimit + 64];
  const size_t count = boost::stacktrace::safe_dump_to(dump, sizeof(dump));
  Trace trace;
  _Unwind_Backtrace(AddFrame, &trace);
  RefereeStack result;
  // The two start in different frames and agree outwards.
  const size_t common = std::min(count, trace.ips.size());
  size_t first = 0;
  while (first < common &&
         reinterpret_cast<uintptr_t>(dump[count - common + first]) !=
             context.pc - (trace.before[trace.ips.size() - common + first])) {
    ++first;
  }
  for (size_t i = first; i < common; ++i) {
    const auto pc = reinterpret_cast<uintptr_t>(dump[count - common + i]);
    if (pc == 0) break;
    result.pcs.push_back(pc);
    result.interrupted.push_back(trace.before[trace.ips.size() - common + i]);
  }
  return result;
}

void CheckFrom(const CallerContext& context) {
  const RefereeStack referee = RefereeFrom(context);
  WalkCache& cache = TestCache();
  const WalkEnd end = WalkStack(context, cache, kLimit);
  const std::vector<uintptr_t> ours = Frames(cache);
  Verdict& verdict = Findings();
  ++verdict.walks;
  verdict.frames += ours.size();
  if (!Agree(referee, ours))
    Describe("differs from the referee", referee, ours, end);
  if (!NodesAgree(cache)) Describe("kept a wrong node", referee, ours, end);
  if (end != WalkEnd::kComplete) ++verdict.incomplete;
  static uintptr_t pcs[kLimit];
  const ScratchWalk scratch = WalkFromScratch(context, pcs, kLimit);
  if (scratch.end != end ||
      std::vector<uintptr_t>(pcs, pcs + scratch.depth) != ours) {
    Describe("differs from a walk from scratch", referee, ours, end);
  }
}

__attribute__((noinline)) void CheckHere() {
  CallerContext context;
  CallWithContext(
      &context, [](CallerContext* c, void*) { CheckFrom(*c); }, nullptr);
  asm volatile("");  // no tail call
}

}  // namespace heaptally::unwind

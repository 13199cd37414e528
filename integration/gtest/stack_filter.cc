#include "integration/gtest/stack_filter.h"

#include <algorithm>
#include <string_view>
#include <utility>

#include "integration/api/heaptally.h"
#include "integration/gtest/suppressions.h"

namespace heaptally::gtest {
namespace {

// The mangled name lies in the namespace `scope`, which is given mangled.
bool IsIn(std::string_view symbol, std::string_view scope) {
  if (!symbol.starts_with("_Z")) return false;
  symbol.remove_prefix(2);
  while (symbol.starts_with("Z")) symbol.remove_prefix(1);  // local to it
  if (!symbol.starts_with("N")) return symbol.starts_with(scope);
  symbol.remove_prefix(1);
  while (symbol.starts_with("K")) symbol.remove_prefix(1);
  return symbol.starts_with(scope);
}

std::string_view NameOf(std::string_view path) {
  return path.substr(path.rfind('/') + 1);  // npos + 1 is 0
}

// The library's, which allocates for whoever called it.
bool IsLibrary(const FrameName& frame) {
  for (const char* scope : {"St", "Sa", "Ss", "9__gnu_cxx"}) {
    if (IsIn(frame.symbol, scope)) return true;
  }
  const std::string_view name = NameOf(frame.module);
  return name.starts_with("libc.so") || name.starts_with("libstdc++.so") ||
         name.starts_with("ld-linux");
}

bool IsOurs(const FrameName& frame) {
  return IsIn(frame.symbol, "9heaptally5gtest");
}

// With glibc's debug information its functions go by their inner names.
bool IsOfThreads(const FrameName& frame) {
  static constexpr std::string_view kFunctions[] = {
      "_dl_allocate_tls",      "__cxa_atexit",
      "__internal_atexit",     "__cxa_thread_atexit_impl",
      "pthread_setspecific",   "__pthread_setspecific",
      "___pthread_setspecific"};
  std::string_view symbol = frame.symbol;
  if (symbol.starts_with("__GI_")) symbol.remove_prefix(5);
  return std::find(std::begin(kFunctions), std::end(kFunctions), symbol) !=
         std::end(kFunctions);
}

// Whoever asked for the block, beyond the library, is GoogleTest or Google
// Benchmark. What they call of the user's code is the user's.
bool IsGoogleTests(const std::vector<const FrameName*>& frames) {
  for (const FrameName* frame : frames) {
    if (IsLibrary(*frame)) continue;
    return IsIn(frame->symbol, "7testing") ||
           IsIn(frame->symbol, "9benchmark") ||
           NameOf(frame->module).starts_with("libbenchmark.so");
  }
  return false;
}

bool Any(const std::vector<const FrameName*>& frames,
         bool (*test)(const FrameName&)) {
  return std::any_of(frames.begin(), frames.end(),
                     [test](const FrameName* frame) { return test(*frame); });
}

}  // namespace

Stack StackOf(uint32_t traceback) {
  Stack stack(heaptally_traceback(traceback, nullptr, 0));
  heaptally_traceback(traceback, stack.data(), stack.size());
  return stack;
}

StackFilter::StackFilter(Stack opener, void* caller, const std::string& from,
                         bool use_suppressions)
    : opener_(std::move(opener)),
      has_pattern_(!from.empty()),
      pattern_(from),
      use_suppressions_(use_suppressions) {
  const auto found = std::find(opener_.begin(), opener_.end(), caller);
  if (found != opener_.end()) {
    outside_ = static_cast<size_t>(opener_.end() - found) - 1;
  }
}

size_t StackFilter::OwnDepth(const Stack& stack, bool* inside) const {
  const auto different = std::mismatch(stack.rbegin(), stack.rend(),
                                       opener_.rbegin(), opener_.rend());
  const auto shared = static_cast<size_t>(different.first - stack.rbegin());
  if (outside_ == 0) {
    *inside = shared != 0;
    return stack.size() - shared;
  }
  *inside = shared >= outside_ && stack.size() > outside_;
  return *inside ? stack.size() - outside_ : stack.size();
}

Sorted StackFilter::Sort(uint32_t traceback) const {
  Sorted sorted;
  const Stack stack = StackOf(traceback);
  const size_t depth = OwnDepth(stack, &sorted.inside);
  for (size_t i = 0; i < depth; ++i) {
    for (const FrameName& name : NamesOf(stack[i])) {
      sorted.frames.push_back(&name);
    }
  }
  if (outside_ == 0) {  // a whole test: who called it is no news
    while (!sorted.frames.empty() &&
           IsIn(sorted.frames.back()->symbol, "7testing")) {
      sorted.frames.pop_back();
    }
  }
  if (Any(sorted.frames, IsOurs)) {
    sorted.side = Side::kOurs;
  } else if (IsGoogleTests(sorted.frames)) {
    sorted.side = Side::kGoogleTest;
  } else if (Any(sorted.frames, IsOfThreads)) {
    sorted.side = Side::kThreads;
  } else if (has_pattern_ && !stack.empty()) {
    sorted.side = Side::kNotAsked;
    for (const FrameName* frame : sorted.frames) {
      const std::string text = frame->function + " " + frame->file + ":" +
                               std::to_string(frame->line);
      if (std::regex_search(text, pattern_)) sorted.side = Side::kCounted;
    }
  }
  if (sorted.side == Side::kCounted && use_suppressions_) {
    sorted.suppression = Suppressions::Match(sorted.frames);
    if (sorted.suppression >= 0) sorted.side = Side::kSuppressed;
  }
  return sorted;
}

}  // namespace heaptally::gtest

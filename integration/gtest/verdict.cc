// Judges a measurement and says why.
#include <unistd.h>

#include <algorithm>
#include <map>
#include <memory>
#include <set>
#include <sstream>

#include "integration/gtest/measurement.h"
#include "integration/gtest/suppressions.h"

namespace heaptally::gtest {
namespace {

constexpr size_t kMostGroups = 8;
constexpr size_t kMostFrames = 12;

struct Group {
  heaptally_tally tally;
  Sorted sorted;
};

void Add(heaptally_tally* sum, const heaptally_tally& tally) {
  sum->blocks += tally.blocks;
  sum->requested += tally.requested;
  sum->usable += tally.usable;
}

std::string Count(uint64_t count, const char* noun) {
  return std::to_string(count) + " " + noun + (count == 1 ? "" : "s");
}

std::string Describe(const heaptally_tally& tally) {
  return Count(tally.blocks, "block") + ", " + Count(tally.requested, "byte") +
         " (" + std::to_string(tally.usable) + " usable)";
}

// The groups of a measurement by what is to become of them.
class Books {
 public:
  Books(const Groups& groups, const StackFilter& filter) {
    for (const auto& [traceback, tally] : groups) {
      Group group{tally, filter.Sort(traceback)};
      if (group.sorted.inside) Add(&inside_, tally);
      if (group.sorted.side == Side::kCounted) {
        Add(&counted_, tally);
        groups_.push_back(std::move(group));
        continue;
      }
      if (group.sorted.inside) Add(&inside_left_out_, tally);
      Add(&left_out_[Reason(group.sorted)], tally);
    }
    std::stable_sort(groups_.begin(), groups_.end(),
                     [](const Group& a, const Group& b) {
                       return a.tally.requested > b.tally.requested;
                     });
  }

  const heaptally_tally& counted() const { return counted_; }
  const heaptally_tally& inside() const { return inside_; }
  const heaptally_tally& inside_left_out() const { return inside_left_out_; }

  void Write(std::ostream& out, bool only_inside) const {
    size_t written = 0;
    for (const Group& group : groups_) {
      if (only_inside && !group.sorted.inside) continue;
      if (++written > kMostGroups) continue;
      out << "\n  " << Describe(group.tally) << " from";
      WriteFrames(out, group.sorted.frames);
    }
    if (written > kMostGroups) {
      out << "\n  and " << Count(written - kMostGroups, "more traceback");
    }
    for (const auto& [reason, tally] : left_out_) {
      out << "\n  not counted: " << Describe(tally) << " " << reason;
    }
  }

 private:
  static std::string Reason(const Sorted& sorted) {
    switch (sorted.side) {
      case Side::kNotAsked:
        return "whose stacks do not match";
      case Side::kOurs:
        return "of these checks themselves";
      case Side::kGoogleTest:
        return "of GoogleTest's own";
      case Side::kThreads:
        return "of thread storage and exit handlers";
      case Side::kSuppressed:
        return "suppressed by '" + Suppressions::TextOf(sorted.suppression) +
               "'";
      case Side::kCounted:
        break;
    }
    return "";
  }

  static void WriteFrames(std::ostream& out,
                          const std::vector<const FrameName*>& frames) {
    if (frames.empty()) out << "\n    no recorded stack";
    for (size_t i = 0; i < frames.size() && i < kMostFrames; ++i) {
      out << "\n    " << frames[i]->function;
      if (!frames[i]->file.empty()) {
        out << "  " << frames[i]->file << ":" << frames[i]->line;
      } else {
        out << "  in " << frames[i]->module;
      }
    }
    if (frames.size() > kMostFrames) {
      out << "\n    and " << Count(frames.size() - kMostFrames, "more frame");
    }
  }

  std::vector<Group> groups_;
  std::map<std::string, heaptally_tally> left_out_;
  heaptally_tally counted_ = {};
  heaptally_tally inside_ = {};
  heaptally_tally inside_left_out_ = {};
};

Groups ByTraceback(const std::vector<heaptally_block>& blocks) {
  Groups groups;
  for (const heaptally_block& block : blocks) {
    Add(&groups[block.traceback], {1, block.requested, block.usable});
  }
  return groups;
}

// Another thread may be about to free what it has been working with.
std::vector<heaptally_block> StillLive(
    const Measurement& measurement,
    const std::vector<heaptally_block>& before) {
  std::set<std::pair<const void*, uint64_t>> known;
  for (const heaptally_block& block : before) {
    known.insert({block.address, block.epoch});
  }
  std::vector<heaptally_block> still;
  for (const heaptally_block& block : measurement.LiveBlocks()) {
    if (known.count({block.address, block.epoch})) still.push_back(block);
  }
  return still;
}

Verdict JudgeLeaks(const Measurement& measurement, const StackFilter& filter) {
  std::vector<heaptally_block> blocks = measurement.LiveBlocks();
  if (blocks.empty()) return {true, ""};
  Books books(ByTraceback(blocks), filter);
  for (const unsigned milliseconds : {1, 10, 50}) {
    if (books.counted().blocks == 0) return {true, ""};
    if (measurement.totals().threads < 2) break;
    usleep(milliseconds * 1000);
    blocks = StillLive(measurement, blocks);
    books = Books(ByTraceback(blocks), filter);
  }
  if (books.counted().blocks == 0) return {true, ""};
  std::ostringstream message;
  message << "leaks " << Describe(books.counted())
          << ": allocated here and not freed";
  books.Write(message, false);
  return {false, message.str()};
}

Verdict JudgeAllocations(const Measurement& measurement, const Limit& limit,
                         const StackFilter& filter) {
  const bool thread_only = limit.check == Check::kThreadAllocations;
  const uint64_t all = thread_only ? measurement.thread_blocks()
                                   : measurement.totals().allocated.blocks;
  if (all <= limit.most) return {true, ""};
  const Books books(measurement.Allocations(), filter);
  uint64_t counted = books.counted().blocks;
  if (thread_only) {
    // Nothing is left out unless the stacks tell exactly what this thread did.
    counted = all;
    if (books.inside().blocks == all) {
      counted -= books.inside_left_out().blocks;
    }
  }
  if (counted <= limit.most) return {true, ""};
  std::ostringstream message;
  message << Count(counted, "allocation");
  if (thread_only) {
    message << " by this thread";
  } else if (measurement.totals().threads > 1) {
    message << " (" << measurement.thread_blocks() << " of all by this thread)";
  }
  message << ", at most " << limit.most << " expected";
  books.Write(message, thread_only && books.inside().blocks != 0);
  return {false, message.str()};
}

Verdict JudgePeak(const Measurement& measurement, const Limit& limit,
                  const StackFilter& filter) {
  const heaptally_interval& totals = measurement.totals();
  const uint64_t peak = totals.peak.usable - totals.start.usable;
  if (peak <= limit.most && peak + totals.peak_bound <= limit.most) {
    return {true, ""};
  }
  std::ostringstream message;
  message << "the heap grew by " << Count(peak, "usable byte");
  if (peak <= limit.most) {
    message << ", and " << totals.threads
            << " threads allocated, so that the peak may be off by "
            << totals.peak_bound << ": it cannot be told whether it is";
  } else {
    message << ",";
  }
  message << " at most " << limit.most << " expected; allocated meanwhile:";
  Books(measurement.Allocations(), filter).Write(message, false);
  return {false, message.str()};
}

Verdict Judge(const Measurement& measurement, const Limit& limit) {
  const StackFilter filter(measurement.opener(), measurement.caller(),
                           limit.from, limit.check == Check::kNoLeaks);
  switch (limit.check) {
    case Check::kNoLeaks:
      return JudgeLeaks(measurement, filter);
    case Check::kAllocations:
    case Check::kThreadAllocations:
      return JudgeAllocations(measurement, limit, filter);
    case Check::kPeak:
      return JudgePeak(measurement, limit, filter);
  }
  return {false, ""};
}

}  // namespace

Verdict EndMeasurement(Measurement* measurement, const Limit& limit) {
  const std::string error = measurement->Stop();
  const std::unique_ptr<Measurement> owner(measurement);
  if (!error.empty()) return {false, error};
  try {
    return Judge(*measurement, limit);
  } catch (const std::regex_error& fault) {
    return {false, "'" + limit.from + "': " + fault.what()};
  }
}

}  // namespace heaptally::gtest

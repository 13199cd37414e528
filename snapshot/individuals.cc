#include "snapshot/individuals.h"

#include <algorithm>
#include <tuple>

#include "snapshot/block_merge.h"

namespace heaptally {
namespace {

// Calls sink(individual) for every block of the selection: by address, but
// those of two processes one after the other.
template <typename Sink>
class Walk {
 public:
  Walk(const Analysis& analysis, const RowTable::Selection& selection,
       Sink& sink)
      : analysis_(analysis),
        usable_(selection.usable),
        selected_(analysis.size(), false),
        sink_(sink) {
    for (const uint32_t unit : selection.units) selected_[unit] = true;
  }

  void Run() {
    if (!analysis_.is_pair()) {
      All(false);
    } else if (analysis_.matched_by() == MatchedBy::kBirthEpoch) {
      MergeBlocks(*analysis_.baseline(), analysis_.snapshot(), *this);
    } else {
      All(true);
      All(false);
    }
  }

  // For MergeBlocks.
  void Free(size_t i) { Visit({i, true, BlockChange::kFreed}); }
  void Add(size_t j) { Visit({j, false, BlockChange::kNew}); }
  void Survive(size_t, size_t j) { Visit({j, false, BlockChange::kSurvived}); }
  void Resize(size_t i, size_t j) {
    Free(i);
    Add(j);
  }

 private:
  void All(bool of_baseline) {
    const Snapshot& s =
        of_baseline ? *analysis_.baseline() : analysis_.snapshot();
    for (size_t i = 0; i < s.blocks.size(); ++i) {
      Visit({i, of_baseline, BlockChange::kNone});
    }
  }
  void Visit(const Individual& individual) {
    const Blocks& blocks = individual.of_baseline ? analysis_.baseline()->blocks
                                                  : analysis_.snapshot().blocks;
    const size_t i = individual.block;
    if (usable_ != 0 && blocks.usable[i] != usable_) return;
    const uint32_t unit =
        analysis_.UnitOf(blocks.traceback[i], individual.of_baseline);
    if (selected_[unit]) sink_(individual);
  }

  const Analysis& analysis_;
  const uint64_t usable_;
  std::vector<bool> selected_;
  Sink& sink_;
};

uint64_t SortKey(const Analysis& analysis, const Individual& individual,
                 BlockSort sort) {
  const Snapshot& s =
      individual.of_baseline ? *analysis.baseline() : analysis.snapshot();
  switch (sort) {
    case BlockSort::kRequested:
      return s.blocks.requested[individual.block];
    case BlockSort::kUsable:
      return s.blocks.usable[individual.block];
    case BlockSort::kAge:
      return AgeOf(s, individual.block);
    default:
      return s.blocks.address[individual.block];
  }
}

struct Keyed {
  uint64_t key;
  uint64_t order;  // By address.
  Individual individual;
};

// Keeps the first `most` of all that it is given, in time linear in them.
class FirstOf {
 public:
  FirstOf(size_t most, bool descending)
      : most_(most), descending_(descending) {}

  void Add(const Keyed& keyed) {
    if (most_ == 0 || (full_ && !Before(keyed, bound_))) return;
    kept_.push_back(keyed);
    if (kept_.size() >= 2 * most_ + 4096) Cut();
  }
  const std::vector<Keyed>& Sorted() {
    if (kept_.size() > most_) Cut();
    std::sort(kept_.begin(), kept_.end(),
              [this](const auto& a, const auto& b) { return Before(a, b); });
    return kept_;
  }

 private:
  bool Before(const Keyed& a, const Keyed& b) const {
    if (a.key != b.key) return descending_ ? a.key > b.key : a.key < b.key;
    return a.order < b.order;
  }
  void Cut() {
    const auto last = kept_.begin() + static_cast<ptrdiff_t>(most_ - 1);
    std::nth_element(
        kept_.begin(), last, kept_.end(),
        [this](const auto& a, const auto& b) { return Before(a, b); });
    bound_ = *last;
    full_ = true;
    kept_.resize(most_);
  }

  const size_t most_;
  const bool descending_;
  bool full_ = false;  // Nothing behind bound_ is wanted.
  Keyed bound_ = {};
  std::vector<Keyed> kept_;
};

}  // namespace

uint32_t AgeOf(const Snapshot& s, size_t block) {
  const uint32_t born = s.blocks.epoch[block];
  return s.epoch() < born ? 0 : s.epoch() - born;
}

IndividualPage FindIndividuals(const Analysis& analysis,
                               const RowTable::Selection& selection,
                               const IndividualsRequest& request) {
  IndividualPage page;
  const uint64_t begin = request.offset;
  // Ascending addresses need nothing but a walk.
  if (request.sort == BlockSort::kAddress && !request.descending) {
    const auto sink = [&](const Individual& individual) {
      if (page.total >= begin && page.total - begin < request.limit) {
        page.blocks.push_back(individual);
      }
      ++page.total;
    };
    Walk(analysis, selection, sink).Run();
    return page;
  }
  FirstOf first(begin + request.limit, request.descending);
  const auto sink = [&](const Individual& individual) {
    first.Add(
        {SortKey(analysis, individual, request.sort), page.total, individual});
    ++page.total;
  };
  Walk(analysis, selection, sink).Run();
  const std::vector<Keyed>& sorted = first.Sorted();
  for (size_t i = begin; i < sorted.size(); ++i) {
    page.blocks.push_back(sorted[i].individual);
  }
  return page;
}

}  // namespace heaptally

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
  uint32_t order;  // By address.
  Individual individual;
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
  std::vector<Keyed> all;
  const auto sink = [&](const Individual& individual) {
    all.push_back({SortKey(analysis, individual, request.sort),
                   static_cast<uint32_t>(all.size()), individual});
  };
  Walk(analysis, selection, sink).Run();
  page.total = all.size();
  const auto before = [&](const Keyed& a, const Keyed& b) {
    if (a.key != b.key) {
      return request.descending ? a.key > b.key : a.key < b.key;
    }
    return a.order < b.order;
  };
  const size_t first = std::min<uint64_t>(begin, all.size());
  const size_t count = std::min<uint64_t>(request.limit, all.size() - first);
  const auto at = [&](size_t i) {
    return all.begin() + static_cast<ptrdiff_t>(i);
  };
  std::nth_element(all.begin(), at(first), all.end(), before);
  std::partial_sort(at(first), at(first + count), all.end(), before);
  for (size_t i = 0; i < count; ++i) {
    page.blocks.push_back(all[first + i].individual);
  }
  return page;
}

}  // namespace heaptally

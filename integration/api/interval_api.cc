// The functions of heaptally.h that tell of a part of a run: intervals, live
// blocks by their birth, a thread's own counters. Ordinary threads only.
#define HEAPTALLY_ENABLE 1
#include "accounting/interval.h"
#include "accounting/quiesce.h"
#include "allocator/block_walk.h"
#include "allocator/operation.h"
#include "integration/api/heaptally.h"

namespace {

using heaptally::Intervals;

static_assert(unsigned{HEAPTALLY_TELL_BLOCKS} == heaptally::kTellBlocks);
static_assert(unsigned{HEAPTALLY_TELL_TRACEBACKS} ==
              heaptally::kTellTracebacks);

// What is negative is an errno.
int Answer(int result) {
  if (result >= 0) return result;
  errno = -result;
  return -1;
}

heaptally_tally Convert(const heaptally::Tally& tally) {
  return {tally.blocks, tally.requested, tally.usable};
}

heaptally_block Convert(const heaptally::LiveBlock& block) {
  return {reinterpret_cast<const void*>(block.address), block.requested,
          block.usable, block.epoch, block.traceback};
}

struct BlockList {
  uint64_t first_epoch;
  uint64_t last_epoch;
  heaptally_block* blocks;
  size_t max;
  size_t count;
};

void AddBlock(void* context, const heaptally::LiveBlock& block) {
  BlockList& list = *static_cast<BlockList*>(context);
  if (block.epoch < list.first_epoch || block.epoch > list.last_epoch) return;
  if (list.count < list.max) list.blocks[list.count] = Convert(block);
  ++list.count;
}

struct TracebackList {
  heaptally_traceback_tally* tallies;
  size_t max;
  size_t count;
};

void AddTraceback(void* context, heaptally::TracebackId id,
                  const heaptally::Tally& tally) {
  TracebackList& list = *static_cast<TracebackList*>(context);
  if (list.count < list.max) list.tallies[list.count] = {id, Convert(tally)};
  ++list.count;
}

}  // namespace

int heaptally_find_block(const void* block, struct heaptally_block* found) {
  heaptally::LiveBlock live;
  if (!heaptally::FindBlock(block, &live)) return Answer(-ENOENT);
  *found = Convert(live);
  return 0;
}

size_t heaptally_live_blocks(uint64_t first_epoch, uint64_t last_epoch,
                             struct heaptally_block* blocks, size_t max) {
  BlockList list{first_epoch, last_epoch, blocks, max, 0};
  heaptally::Quiesce stop;
  if (!stop.complete()) {
    errno = EAGAIN;
    return SIZE_MAX;
  }
  heaptally::ForEachBlock(AddBlock, &list);
  return list.count;
}

int heaptally_get_thread_counters(struct heaptally_thread_counters* counters) {
  int error = 0;
  {
    heaptally::Operation operation;
    const heaptally::HeapThread* const thread = operation.thread();
    if (thread == nullptr) {
      error = heaptally::Operation::MayBeInsideJemalloc() ? EBUSY : ENOMEM;
    } else if (thread == heaptally::HeapThread::Spare()) {
      error = ENOMEM;
    } else {
      counters->allocated = Convert(thread->allocated);
      counters->freed = Convert(thread->allocated - thread->net());
    }
  }
  return Answer(-error);
}

int heaptally_begin_interval(unsigned wishes) {
  return Answer(Intervals::Begin(wishes));
}

int heaptally_stop_interval(int interval, struct heaptally_interval* totals) {
  heaptally::IntervalTotals found;
  const int result = Intervals::Stop(interval, &found);
  if (result < 0) return Answer(result);
  totals->start = Convert(found.start);
  totals->end = Convert(found.current);
  totals->allocated = Convert(found.allocated);
  totals->peak = Convert(found.peak);
  totals->peak_bound = found.peak_bound;
  totals->threads = found.threads;
  totals->first_epoch = found.first_epoch;
  totals->last_epoch = found.last_epoch;
  return 0;
}

int heaptally_release_interval(int interval) {
  return Answer(Intervals::Release(interval));
}

size_t heaptally_interval_tracebacks(int interval,
                                     struct heaptally_traceback_tally* tallies,
                                     size_t max) {
  TracebackList list{tallies, max, 0};
  const int result = Intervals::ForEachTraceback(interval, AddTraceback, &list);
  if (result < 0) errno = -result;
  return list.count;
}

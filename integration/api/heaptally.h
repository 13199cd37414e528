/* heaptally's interface for the program that runs under it: C99 and C++11.
 *
 * Compile with -DHEAPTALLY_ENABLE and link with heaptally (CMake:
 * heaptally::heaptally does both). Without HEAPTALLY_ENABLE every function is
 * an empty inline, and nothing of heaptally is left in the program; the values
 * that these return are given with each function.
 *
 * All functions may be called from any thread, at any time but from a signal
 * handler, unless said otherwise. None allocates from the measured heap.
 * `requested` bytes are what the program asked for, `usable` bytes what the
 * size class gave (malloc_usable_size).
 */
#ifndef HEAPTALLY_H_
#define HEAPTALLY_H_

#include <errno.h>
#include <stddef.h>
#include <stdint.h>

#if defined(__GNUC__)
#define HEAPTALLY_API __attribute__((visibility("default")))
#else
#define HEAPTALLY_API
#endif

#ifdef __cplusplus
extern "C" {
#endif

/* What is recorded for new blocks; see heaptally_set_mode. */
enum heaptally_mode {
  HEAPTALLY_COUNTERS = 0, /* no call stacks */
  HEAPTALLY_SAMPLED = 1,  /* the stack of one block every N requested bytes */
  HEAPTALLY_ALL = 2       /* every stack */
};

struct heaptally_tally {
  uint64_t blocks;
  uint64_t requested; /* bytes */
  uint64_t usable;    /* bytes */
};

struct heaptally_counters {
  struct heaptally_tally current; /* live blocks */
  struct heaptally_tally peak; /* at the moment of the largest usable bytes */
  struct heaptally_tally ever; /* allocated since the start */
  uint64_t peak_bound;         /* bytes that the peak may be off by; 0: exact */
  uint64_t own_bytes;          /* memory of heaptally's own books */
  uint64_t mode;               /* enum heaptally_mode */
  uint64_t sample_interval;    /* bytes; 0 unless sampled */
  uint64_t epoch;              /* raised by snapshots and changes of mode */
};

struct heaptally_block {
  const void* address;
  uint64_t requested; /* bytes */
  uint64_t usable;    /* bytes */
  uint64_t epoch;     /* of its birth */
  uint32_t traceback; /* for heaptally_traceback; below 16: has none */
};

struct heaptally_thread_counters {
  struct heaptally_tally allocated; /* since the thread's state was made */
  struct heaptally_tally freed;
};

/* What an interval is asked to tell besides its totals; bits. */
enum heaptally_interval_wish {
  HEAPTALLY_TELL_BLOCKS = 1,    /* first_epoch and last_epoch */
  HEAPTALLY_TELL_TRACEBACKS = 2 /* heaptally_interval_tracebacks */
};

/* What all threads did in an interval. Freed is start + allocated - end. */
struct heaptally_interval {
  struct heaptally_tally start;     /* live at the beginning */
  struct heaptally_tally end;       /* live at the end */
  struct heaptally_tally allocated; /* in between */
  struct heaptally_tally peak; /* at the moment of the largest usable bytes */
  uint64_t peak_bound;  /* bytes that the peak may be off by; 0: exact, as it is
                           if at most one thread allocated or freed */
  uint64_t threads;     /* that allocated or freed in the interval */
  uint64_t first_epoch; /* blocks born in the interval have epochs from */
  uint64_t last_epoch;  /* first to last; 0 unless asked for */
};

struct heaptally_traceback_tally {
  uint32_t traceback;
  struct heaptally_tally allocated;
};

#ifdef HEAPTALLY_ENABLE

/* 1: this program's allocator is heaptally; 0: it is linked, but malloc comes
 * from elsewhere (another allocator was preloaded, or a sanitizer's). Allocates
 * and frees a block to see. (Disabled: 0.) */
HEAPTALLY_API int heaptally_is_active(void);

/* Takes a snapshot to the file `path`, which is replaced when the new one is
 * whole. `label` is kept in it; may be null. Waits until it is written; other
 * threads are stopped for the length of a fork.
 * Returns 0, or -1 with errno: EBUSY another snapshot is being taken, ENOSPC,
 * EDQUOT, EFBIG, EACCES, ENAMETOOLONG and others of open, write and rename;
 * ENOMEM; ECHILD the writing process was killed. (Disabled: -1 with ENOSYS.) */
HEAPTALLY_API int heaptally_snapshot(const char* path, const char* label);

/* Reads the process's counters. They lack at most the operations that other
 * threads are in the middle of. Returns 0. (Disabled: -1 with ENOSYS, and
 * `counters` is zeroed.) */
HEAPTALLY_API int heaptally_get_counters(struct heaptally_counters* counters);

/* Switches what is recorded for blocks allocated from now on; older blocks keep
 * what they have. `sample_interval` is in bytes and counts with
 * HEAPTALLY_SAMPLED only, where it must not be 0.
 * Returns 0, or -1 with errno: EINVAL, EAGAIN (a thread could not be stopped
 * within a second; nothing changed). (Disabled: -1 with ENOSYS.) */
HEAPTALLY_API int heaptally_set_mode(enum heaptally_mode mode,
                                     uint64_t sample_interval);

/* The peak becomes the present, for the process and for every traceback.
 * Returns 0, or -1 with errno EAGAIN as above. (Disabled: -1 with ENOSYS.) */
HEAPTALLY_API int heaptally_reset_peak(void);

/* The call stack that allocated the live block which begins at `block`: writes
 * up to `max` return addresses to `frames`, the caller of malloc or new first,
 * and returns how many the stack has, which may be more than `max`. 0: no such
 * block, or it has no recorded stack. The block must not be freed meanwhile.
 * (Disabled: 0.) */
HEAPTALLY_API size_t heaptally_traceback_of(const void* block, void** frames,
                                            size_t max);

/* The frames of the traceback with that number, as above. Numbers stay valid as
 * long as the process lives. (Disabled: 0.) */
HEAPTALLY_API size_t heaptally_traceback(uint32_t traceback, void** frames,
                                         size_t max);

/* What is known about the live block that begins at `block`. Returns 0, or -1
 * with errno ENOENT: no block of heaptally begins there. The block must not be
 * freed meanwhile. (Disabled: -1 with ENOSYS.) */
HEAPTALLY_API int heaptally_find_block(const void* block,
                                       struct heaptally_block* found);

/* Writes up to `max` live blocks that were born in the epochs first to last,
 * in the order of their addresses, and returns how many there are, which may be
 * more than `max`. Exact: the threads stand still meanwhile. A block that was
 * reallocated was born again. SIZE_MAX with errno EAGAIN: a thread could not be
 * stopped within a second. (Disabled: 0.) */
HEAPTALLY_API size_t heaptally_live_blocks(uint64_t first_epoch,
                                           uint64_t last_epoch,
                                           struct heaptally_block* blocks,
                                           size_t max);

/* Reads the calling thread's own counters. Exact: the difference of two calls
 * is what the thread did in between, where realloc frees one block and
 * allocates another. Returns 0, or -1 with errno: ENOMEM the thread has no
 * counters of its own, for want of memory; EBUSY called from a signal handler
 * that interrupted the allocator. (Disabled: -1 with ENOSYS.) */
HEAPTALLY_API int heaptally_get_thread_counters(
    struct heaptally_thread_counters* counters);

/* Intervals count what all threads of the process do between two calls,
 * exactly; they may nest and overlap, and leave the process's own peak alone.
 *
 * begin: `wishes` are bits of heaptally_interval_wish. Returns the interval's
 * number, 0 or above, or -1 with errno: EAGAIN a thread could not be stopped
 * within a second; ENOBUFS there are 16 intervals already; ENOMEM; EOVERFLOW
 * the epochs are used up (2 million; only with HEAPTALLY_TELL_BLOCKS).
 * stop: ends it; again gives the same. 0, or -1 with errno: EINVAL no such
 * interval; EAGAIN, ENOMEM or EOVERFLOW as above, and it goes on.
 * release: forgets it, stopped or not. 0, or -1 with errno: EINVAL, EAGAIN.
 * (Disabled: -1 with ENOSYS.) */
HEAPTALLY_API int heaptally_begin_interval(unsigned wishes);
HEAPTALLY_API int heaptally_stop_interval(int interval,
                                          struct heaptally_interval* totals);
HEAPTALLY_API int heaptally_release_interval(int interval);

/* What each traceback allocated in a stopped interval that was begun with
 * HEAPTALLY_TELL_TRACEBACKS: writes up to `max` and returns how many did, which
 * may be more than `max`. Blocks allocated without recording stacks are in
 * none. 0 with errno EINVAL: not such an interval. (Disabled: 0.) */
HEAPTALLY_API size_t heaptally_interval_tracebacks(
    int interval, struct heaptally_traceback_tally* tallies, size_t max);

#else

static inline int heaptally_is_active(void) { return 0; }

static inline int heaptally_snapshot(const char* path, const char* label) {
  (void)path;
  (void)label;
  errno = ENOSYS;
  return -1;
}

static inline int heaptally_get_counters(struct heaptally_counters* counters) {
  unsigned char* bytes = (unsigned char*)counters;
  size_t i;
  for (i = 0; i < sizeof(*counters); ++i) bytes[i] = 0;
  errno = ENOSYS;
  return -1;
}

static inline int heaptally_set_mode(enum heaptally_mode mode,
                                     uint64_t sample_interval) {
  (void)mode;
  (void)sample_interval;
  errno = ENOSYS;
  return -1;
}

static inline int heaptally_reset_peak(void) {
  errno = ENOSYS;
  return -1;
}

static inline size_t heaptally_traceback_of(const void* block, void** frames,
                                            size_t max) {
  (void)block;
  (void)frames;
  (void)max;
  return 0;
}

static inline size_t heaptally_traceback(uint32_t traceback, void** frames,
                                         size_t max) {
  (void)traceback;
  (void)frames;
  (void)max;
  return 0;
}

static inline int heaptally_find_block(const void* block,
                                       struct heaptally_block* found) {
  (void)block;
  (void)found;
  errno = ENOSYS;
  return -1;
}

static inline size_t heaptally_live_blocks(uint64_t first_epoch,
                                           uint64_t last_epoch,
                                           struct heaptally_block* blocks,
                                           size_t max) {
  (void)first_epoch;
  (void)last_epoch;
  (void)blocks;
  (void)max;
  return 0;
}

static inline int heaptally_get_thread_counters(
    struct heaptally_thread_counters* counters) {
  (void)counters;
  errno = ENOSYS;
  return -1;
}

static inline int heaptally_begin_interval(unsigned wishes) {
  (void)wishes;
  errno = ENOSYS;
  return -1;
}

static inline int heaptally_stop_interval(int interval,
                                          struct heaptally_interval* totals) {
  (void)interval;
  (void)totals;
  errno = ENOSYS;
  return -1;
}

static inline int heaptally_release_interval(int interval) {
  (void)interval;
  errno = ENOSYS;
  return -1;
}

static inline size_t heaptally_interval_tracebacks(
    int interval, struct heaptally_traceback_tally* tallies, size_t max) {
  (void)interval;
  (void)tallies;
  (void)max;
  return 0;
}

#endif /* HEAPTALLY_ENABLE */

#ifdef __cplusplus
}  // extern "C"

namespace heaptally {

// heaptally_traceback_of as a stack-trace object: any type with
// `from_dump(const void*, size_t bytes)`, such as
// boost::stacktrace::stacktrace, whose header this one does not include. At
// most the innermost 512 frames; empty if the block has no recorded stack.
// Allocates what the object needs.
//
//   std::cerr << heaptally::traceback_of<boost::stacktrace::stacktrace>(p);
template <class Stacktrace>
Stacktrace traceback_of(const void* block) {
  constexpr size_t kMost = 512;
  void* frames[kMost + 1];
  size_t n = heaptally_traceback_of(block, frames, kMost);
  if (n > kMost) n = kMost;
  frames[n] = nullptr;  // ends a dump
  return Stacktrace::from_dump(frames, (n + 1) * sizeof(void*));
}

// Without the template's argument, if <boost/stacktrace.hpp> came before.
#if defined(BOOST_STACKTRACE_STACKTRACE_HPP)
inline boost::stacktrace::stacktrace traceback_of(const void* block) {
  return traceback_of<boost::stacktrace::stacktrace>(block);
}
#endif

}  // namespace heaptally
#endif /* __cplusplus */

#endif /* HEAPTALLY_H_ */

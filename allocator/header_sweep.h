// Gives back the side headers of pages that have no blocks any more. A page's
// array normally stays until the page serves another size; when the heap has
// shrunk much, pages may have gone back to the system for good.
#ifndef HEAPTALLY_ALLOCATOR_HEADER_SWEEP_H_
#define HEAPTALLY_ALLOCATOR_HEADER_SWEEP_H_

#include <cstdint>

namespace heaptally {

// Sweeps if the heap is down to a quarter of what it was at its largest since
// the last sweep, and the headers are worth it. Inside an operation; stops the
// other threads for the time (about 10 ms a 100 MiB of headers).
void SweepHeadersIfDue(uint64_t usable_bytes);

// Sweeps in any case; how many arrays were given back. 0 when the threads
// could not be stopped.
uint64_t SweepHeaders();

}  // namespace heaptally

#endif  // HEAPTALLY_ALLOCATOR_HEADER_SWEEP_H_

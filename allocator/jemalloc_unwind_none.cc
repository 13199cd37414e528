// The unwinder that the private jemalloc sees: there is none.
//
// jemalloc's own profiler (MALLOC_CONF=prof:true) would pull libgcc_s into
// every program and walk stacks a second time; heaptally's recorder does that
// work. With these two the profiler finds empty stacks and nothing else
// changes. Thread safe, signal safe, allocates nothing.

extern "C" {

int heaptally_jemalloc_unwind_none(int (*)(void*, void*), void*) {
  constexpr int kEndOfStack = 5;  // _URC_END_OF_STACK
  return kEndOfStack;
}

unsigned long heaptally_jemalloc_unwind_ip_none(void*) { return 0; }

}  // extern "C"

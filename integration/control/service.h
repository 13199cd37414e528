// Serves the clients of the control socket, on the control thread. Nothing
// that a client does or leaves undone keeps the others waiting.
#ifndef HEAPTALLY_INTEGRATION_CONTROL_SERVICE_H_
#define HEAPTALLY_INTEGRATION_CONTROL_SERVICE_H_

#include <cstdint>

namespace heaptally::control {

// Returns only if the socket has become unusable. `thread_pointer` is that of
// an ordinary thread, see CaptureOptions.
void Serve(int listener, uintptr_t thread_pointer);

}  // namespace heaptally::control

#endif  // HEAPTALLY_INTEGRATION_CONTROL_SERVICE_H_

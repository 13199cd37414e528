// Speaks to this process's own control socket, without allocating. One thread
// at a time.
#ifndef HEAPTALLY_TESTS_MODEL_CONTROL_CLIENT_H_
#define HEAPTALLY_TESTS_MODEL_CONTROL_CLIENT_H_

namespace model {

// Connects to <directory>/<pid>.sock; waits for it to appear.
void ConnectTo(const char* directory);

// Sends a request, with a descriptor unless that is -1, and expects `ok`.
void Ask(const char* request, int fd);

}  // namespace model

#endif  // HEAPTALLY_TESTS_MODEL_CONTROL_CLIENT_H_

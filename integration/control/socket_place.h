// The directory and name of this process's control socket, checked before
// anything is put there. System calls only, apart from getenv at start.
#ifndef HEAPTALLY_INTEGRATION_CONTROL_SOCKET_PLACE_H_
#define HEAPTALLY_INTEGRATION_CONTROL_SOCKET_PLACE_H_

#include <sys/un.h>

#include <cstddef>

namespace heaptally::control {

class SocketPlace {
 public:
  // Finds the directory and creates it with mode 0700 if need be. Null, or a
  // sentence: not ours, open to others, a link, the path too long.
  const char* Prepare(const char* directory_option);

  // The path for this process. False when it does not fit into an address.
  bool Name(sockaddr_un* address, size_t* address_size) const;

  const char* directory() const { return directory_; }

 private:
  const char* Find(const char* directory_option);

  char directory_[1024] = "";
};

}  // namespace heaptally::control

#endif  // HEAPTALLY_INTEGRATION_CONTROL_SOCKET_PLACE_H_

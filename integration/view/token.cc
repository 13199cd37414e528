#include "integration/view/token.h"

#include <errno.h>
#include <stdlib.h>
#include <sys/random.h>

#include "absl/strings/escaping.h"

namespace heaptally::view {
namespace {

constexpr size_t kTokenBytes = 16;

}  // namespace

std::string MakeToken() {
  std::string bytes(kTokenBytes, '\0');
  while (getrandom(bytes.data(), bytes.size(), 0) !=
         static_cast<ssize_t>(bytes.size())) {
    // The kernel gives so few bytes whole; without them there is no secret.
    if (errno != EINTR) abort();
  }
  return absl::BytesToHexString(bytes);
}

bool SameToken(absl::string_view a, absl::string_view b) {
  if (a.size() != b.size()) return false;
  unsigned char different = 0;
  for (size_t i = 0; i < a.size(); ++i) {
    different = static_cast<unsigned char>(different | (a[i] ^ b[i]));
  }
  return different == 0;
}

}  // namespace heaptally::view

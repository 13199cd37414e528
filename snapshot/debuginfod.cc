#include "snapshot/debuginfod.h"

#include <dlfcn.h>

#include <cstdlib>

namespace heaptally {
namespace {

// The three functions of <elfutils/debuginfod.h> that are needed.
struct Client {
  void* (*begin)();
  int (*find_debuginfo)(void* client, const unsigned char* build_id, int length,
                        char** path);
  void (*end)(void* client);
};

template <typename Function>
bool Load(void* library, const char* name, Function& function) {
  function = reinterpret_cast<Function>(dlsym(library, name));
  return function != nullptr;
}

const Client* LoadClient() {
  static Client client;
  static const bool loaded = [] {
    void* library = dlopen("libdebuginfod.so.1", RTLD_NOW | RTLD_LOCAL);
    return library != nullptr &&
           Load(library, "debuginfod_begin", client.begin) &&
           Load(library, "debuginfod_find_debuginfo", client.find_debuginfo) &&
           Load(library, "debuginfod_end", client.end);
  }();
  return loaded ? &client : nullptr;
}

}  // namespace

int DebuginfodFind(const std::string& build_id, std::string& path) {
  const char* urls = std::getenv("DEBUGINFOD_URLS");
  if (urls == nullptr || *urls == '\0' || build_id.empty()) return -1;
  const Client* client = LoadClient();
  void* session = client == nullptr ? nullptr : client->begin();
  if (session == nullptr) return -1;
  char* found = nullptr;
  // Length 0 tells the client that the id is hex text.
  int fd = client->find_debuginfo(
      session, reinterpret_cast<const unsigned char*>(build_id.c_str()), 0,
      &found);
  if (found != nullptr) path = found;
  std::free(found);
  client->end(session);
  return fd;
}

}  // namespace heaptally

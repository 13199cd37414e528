// Keeps strings once each, at addresses that never change. Not thread safe.
#ifndef HEAPTALLY_SNAPSHOT_TEXT_POOL_H_
#define HEAPTALLY_SNAPSHOT_TEXT_POOL_H_

#include <string>
#include <string_view>
#include <unordered_set>

namespace heaptally {

class TextPool {
 public:
  std::string_view Keep(std::string text) {
    return *texts_.insert(std::move(text)).first;
  }

 private:
  std::unordered_set<std::string> texts_;
};

}  // namespace heaptally

#endif  // HEAPTALLY_SNAPSHOT_TEXT_POOL_H_

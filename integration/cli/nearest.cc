#include "integration/cli/nearest.h"

#include <algorithm>

namespace heaptally::cli {

size_t EditDistance(absl::string_view a, absl::string_view b) {
  const size_t width = b.size() + 1;
  std::vector<size_t> table((a.size() + 1) * width);
  const auto at = [&](size_t i, size_t j) -> size_t& {
    return table[i * width + j];
  };
  for (size_t i = 0; i <= a.size(); ++i) at(i, 0) = i;
  for (size_t j = 0; j <= b.size(); ++j) at(0, j) = j;
  for (size_t i = 1; i <= a.size(); ++i) {
    for (size_t j = 1; j <= b.size(); ++j) {
      const size_t replace = at(i - 1, j - 1) + (a[i - 1] == b[j - 1] ? 0 : 1);
      at(i, j) = std::min({at(i - 1, j) + 1, at(i, j - 1) + 1, replace});
      const bool swapped =
          i > 1 && j > 1 && a[i - 1] == b[j - 2] && a[i - 2] == b[j - 1];
      if (swapped) at(i, j) = std::min(at(i, j), at(i - 2, j - 2) + 1);
    }
  }
  return at(a.size(), b.size());
}

std::string Nearest(absl::string_view word,
                    const std::vector<std::string>& known) {
  std::string nearest;
  size_t least = SIZE_MAX;
  for (const std::string& candidate : known) {
    const size_t distance = EditDistance(word, candidate);
    const size_t longer = std::max(word.size(), candidate.size());
    if (distance < least && distance * 3 <= longer) {
      least = distance;
      nearest = candidate;
    }
  }
  return nearest;
}

}  // namespace heaptally::cli

// One column of a snapshot: a read-only array that shares the ownership of the
// bytes it lies in (the bytes of a file, a decoded section or a vector).
// Immutable once made, so that any thread may read it.
#ifndef HEAPTALLY_SNAPSHOT_COLUMN_H_
#define HEAPTALLY_SNAPSHOT_COLUMN_H_

#include <cstddef>
#include <memory>
#include <utility>
#include <vector>

#include "absl/types/span.h"

namespace heaptally {

template <typename T>
class Column {
 public:
  Column() = default;
  // NOLINTNEXTLINE(google-explicit-constructor): a vector is a column.
  Column(std::vector<T> values) {
    auto owned = std::make_shared<const std::vector<T>>(std::move(values));
    view_ = *owned;
    owner_ = std::move(owned);
  }
  Column(absl::Span<const T> view, std::shared_ptr<const void> owner)
      : view_(view), owner_(std::move(owner)) {}

  size_t size() const { return view_.size(); }
  bool empty() const { return view_.empty(); }
  const T& operator[](size_t i) const { return view_[i]; }
  const T* data() const { return view_.data(); }
  const T* begin() const { return view_.data(); }
  const T* end() const { return view_.data() + view_.size(); }
  absl::Span<const T> span() const { return view_; }

  friend bool operator==(const Column& a, const Column& b) {
    return a.view_ == b.view_;
  }

 private:
  absl::Span<const T> view_;
  std::shared_ptr<const void> owner_;
};

}  // namespace heaptally

#endif  // HEAPTALLY_SNAPSHOT_COLUMN_H_

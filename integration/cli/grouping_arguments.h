// The arguments that `report` and `compare` share: grouping, filter, length.
// Not thread-safe.
#ifndef HEAPTALLY_INTEGRATION_CLI_GROUPING_ARGUMENTS_H_
#define HEAPTALLY_INTEGRATION_CLI_GROUPING_ARGUMENTS_H_

#include <optional>
#include <string>

#include "absl/status/statusor.h"
#include "integration/cli/arguments.h"
#include "snapshot/grouping.h"

namespace heaptally::cli {

class GroupingArguments {
 public:
  void Declare(Arguments& arguments);

  absl::StatusOr<GroupBy> by() const;
  // 0 for all. People get 20 unless told otherwise, programs all.
  absl::StatusOr<size_t> top() const;
  std::string filter() const { return filter_.value_or(""); }
  std::string exclude() const { return exclude_.value_or(""); }
  bool json() const { return json_; }

 private:
  std::optional<std::string> by_;
  std::optional<std::string> top_;
  std::optional<std::string> filter_;
  std::optional<std::string> exclude_;
  bool json_ = false;
};

}  // namespace heaptally::cli

#endif  // HEAPTALLY_INTEGRATION_CLI_GROUPING_ARGUMENTS_H_

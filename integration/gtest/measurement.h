// What BeginMeasurement gives: the numbers of a stretch of a run.
#ifndef HEAPTALLY_INTEGRATION_GTEST_MEASUREMENT_H_
#define HEAPTALLY_INTEGRATION_GTEST_MEASUREMENT_H_

#include <cstdint>
#include <map>
#include <string>
#include <vector>

#include "integration/api/heaptally.h"
#include "integration/gtest/heaptally_measurement.h"
#include "integration/gtest/stack_filter.h"

namespace heaptally::gtest {

// Blocks by the number of their traceback.
using Groups = std::map<uint32_t, heaptally_tally>;

class Measurement {
 public:
  Measurement() = default;
  ~Measurement();
  Measurement(const Measurement&) = delete;
  Measurement& operator=(const Measurement&) = delete;

  // Each gives an empty string, or what went wrong. Nothing is allocated
  // between them.
  std::string Begin(unsigned wishes, void* caller);
  std::string Stop();

  const heaptally_interval& totals() const { return totals_; }
  const Stack& opener() const { return opener_; }
  void* caller() const { return caller_; }
  uint64_t thread_blocks() const {
    return after_.allocated.blocks - before_.allocated.blocks;
  }

  // Blocks that were born in it and live still.
  std::vector<heaptally_block> LiveBlocks() const;
  // Allocations in it.
  Groups Allocations() const;

 private:
  int interval_ = -1;
  void* caller_ = nullptr;
  Stack opener_;
  heaptally_interval totals_ = {};
  heaptally_thread_counters before_ = {};
  heaptally_thread_counters after_ = {};
};

}  // namespace heaptally::gtest

#endif  // HEAPTALLY_INTEGRATION_GTEST_MEASUREMENT_H_

#include "snapshot/books.h"

#include <numeric>

namespace heaptally {
namespace {

uint64_t Sum(const Column<uint64_t>& column) {
  return std::accumulate(column.begin(), column.end(), uint64_t{0});
}

}  // namespace

Measure SumOf(const MeasureColumns& columns) {
  return {Sum(columns.blocks), Sum(columns.requested), Sum(columns.usable)};
}

Measure SumOf(const Blocks& blocks) {
  return {blocks.size(), Sum(blocks.requested), Sum(blocks.usable)};
}

Books EvaluateBooks(const Snapshot& snapshot) {
  Books books;
  books.side_headers = snapshot.FactMeasure("side_headers");
  books.tracebacks = snapshot.FactMeasure("tracebacks");
  books.process = snapshot.FactMeasure("current");
  books.block_columns = SumOf(snapshot.blocks);
  books.traceback_columns = SumOf(snapshot.tracebacks.current);
  books.jemalloc_allocated = snapshot.facts.Number("jemalloc.allocated");
  books.faults = snapshot.facts.Number("books.faults");
  books.first_fault = std::string(snapshot.facts.Text("books.first_fault"));
  return books;
}

}  // namespace heaptally

# The file and what is read out of it. Part of the tool.
find_package(absl REQUIRED)
find_package(PkgConfig REQUIRED)
pkg_check_modules(ZSTD REQUIRED IMPORTED_TARGET libzstd)

heaptally_tool_library(heaptally_snapshot
  analysis.cc
  block_match.cc
  books.cc
  call_tree.cc
  call_tree_text.cc
  census.cc
  change.cc
  compare.cc
  compare_json.cc
  compare_text.cc
  coverage_text.cc
  dump.cc
  encoding.cc
  file_io.cc
  filter.cc
  frame_groups.cc
  grouping.cc
  individuals.cc
  individuals_json.cc
  json_parts.cc
  json_writer.cc
  key_values.cc
  library_frames.cc
  malloc_wrappers.cc
  missing.cc
  modules.cc
  name_table.cc
  names.cc
  notes_text.cc
  packer.cc
  query.cc
  reader.cc
  report_json.cc
  report_text.cc
  row_area.cc
  row_groups.cc
  row_table.cc
  row_tree.cc
  rows_json.cc
  rows_sentence.cc
  sampling.cc
  section.cc
  section_file.cc
  size_classes.cc
  sized_units.cc
  snapshot.cc
  stacks.cc
  summary_json.cc
  symbol_tree.cc
  text_format.cc
  text_parts.cc
  text_table.cc
  validate.cc
  view_parts.cc
  writer.cc)
target_link_libraries(heaptally_snapshot
  PUBLIC absl::status absl::statusor absl::span absl::strings
         absl::flat_hash_map
  PRIVATE absl::str_format PkgConfig::ZSTD)

# Made-up snapshots for tests, the fuzzer and benchmarks.
heaptally_tool_library(heaptally_synthetic synthetic.cc)
target_link_libraries(heaptally_synthetic PUBLIC heaptally_snapshot)

foreach(name census compare library_frames writer)
  heaptally_test(snapshot_${name}_test SOURCES ${name}_test.cc
    LIBS heaptally_synthetic)
endforeach()
heaptally_test(snapshot_reader_test
  SOURCES reader_test.cc reader_contents_test.cc
  LIBS heaptally_synthetic)
heaptally_test(snapshot_view_test
  SOURCES row_table_test.cc view_json_test.cc
  LIBS heaptally_synthetic)
# All that is printed.
heaptally_test(snapshot_report_test
  SOURCES compare_output_test.cc dump_test.cc report_json_test.cc
          report_text_test.cc sampling_test.cc text_format_test.cc
  LIBS heaptally_synthetic)
find_package(nlohmann_json REQUIRED)
foreach(name report view)
  if(TARGET snapshot_${name}_test)
    target_link_libraries(snapshot_${name}_test PRIVATE
      nlohmann_json::nlohmann_json)
  endif()
endforeach()

add_executable(make_corpus EXCLUDE_FROM_ALL make_corpus.cc)
target_link_libraries(make_corpus PRIVATE heaptally_synthetic)
heaptally_fuzzer(snapshot_reader_fuzz SOURCES reader_fuzz.cc
  LIBS heaptally_snapshot CORPUS ../tests/corpus/reader)

# The names of addresses: ELF, DWARF, demangling. Part of the tool.
find_package(PkgConfig REQUIRED)
pkg_check_modules(LIBDW REQUIRED IMPORTED_TARGET libdw libelf)
find_package(LibLZMA REQUIRED)
find_package(ZLIB REQUIRED)
find_package(absl REQUIRED)
find_library(LIBIBERTY iberty)
find_path(LIBIBERTY_INCLUDE_DIR libiberty/demangle.h)
if(NOT LIBIBERTY OR NOT LIBIBERTY_INCLUDE_DIR)
  message(FATAL_ERROR "libiberty is missing: install libiberty-dev")
endif()

heaptally_tool_library(heaptally_symbols
  debug_files.cc
  debug_info.cc
  debug_package.cc
  debuginfod.cc
  demangle.cc
  die_names.cc
  elf_file.cc
  mini_debug_data.cc
  missing_names.cc
  module_symbols.cc
  symbol_table.cc
  symbolizer.cc
  unit_functions.cc
  unit_lines.cc)
target_include_directories(heaptally_symbols PRIVATE ${LIBIBERTY_INCLUDE_DIR})
target_link_libraries(heaptally_symbols
  PUBLIC heaptally_snapshot absl::status absl::span absl::strings
         absl::flat_hash_map PkgConfig::LIBDW
  PRIVATE LibLZMA::LibLZMA ZLIB::ZLIB ${LIBIBERTY} ${CMAKE_DL_LIBS})

heaptally_test(address_map_test SOURCES address_map_test.cc)
heaptally_test(demangle_test SOURCES demangle_test.cc LIBS heaptally_symbols)
heaptally_test(missing_names_test
  SOURCES missing_names_test.cc LIBS heaptally_symbols)
heaptally_test(symbolizer_test
  SOURCES symbolizer_test.cc LIBS heaptally_symbols heaptally_snapshot)

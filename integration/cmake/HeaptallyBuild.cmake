# Compiler settings and the few functions that every folder uses.
#
#   heaptally_runtime_objects(NAME SOURCES...)  code for other people's processes
#   heaptally_tool_library(NAME SOURCES...)     code of the tool
#   heaptally_test(NAME SOURCES... LIBS... [NOT_UNDER SANITIZER...])
#                                               a GoogleTest program and its test;
#                                               NOT_UNDER address|thread|undefined
#                                               leaves it out of those builds
#   heaptally_fuzzer(NAME SOURCES... LIBS... [CORPUS DIR])
#                                               a libFuzzer program, built with
#                                               HEAPTALLY_BUILD_FUZZERS

set(CMAKE_CXX_STANDARD 20)
set(CMAKE_CXX_STANDARD_REQUIRED ON)
set(CMAKE_CXX_EXTENSIONS OFF)
set(CMAKE_EXPORT_COMPILE_COMMANDS ON)
set(CMAKE_LIBRARY_OUTPUT_DIRECTORY ${CMAKE_BINARY_DIR}/lib)
set(CMAKE_ARCHIVE_OUTPUT_DIRECTORY ${CMAKE_BINARY_DIR}/lib)
set(CMAKE_RUNTIME_OUTPUT_DIRECTORY ${CMAKE_BINARY_DIR}/bin)
if(NOT CMAKE_BUILD_TYPE AND NOT CMAKE_CONFIGURATION_TYPES)
  set(CMAKE_BUILD_TYPE RelWithDebInfo CACHE STRING "" FORCE)
endif()

find_program(HEAPTALLY_CCACHE ccache)
if(HEAPTALLY_CCACHE AND NOT DEFINED CMAKE_CXX_COMPILER_LAUNCHER)
  set(CMAKE_CXX_COMPILER_LAUNCHER ${HEAPTALLY_CCACHE})
endif()

# All that can run under a sanitizer does; the malloc symbols cannot, since the
# sanitizer has its own, so these builds have no libheaptally.
if(HEAPTALLY_SANITIZER)
  add_compile_options(-fsanitize=${HEAPTALLY_SANITIZER}
    -fno-sanitize-recover=all -fno-omit-frame-pointer)
  add_link_options(-fsanitize=${HEAPTALLY_SANITIZER})
endif()
if(HEAPTALLY_BUILD_FUZZERS)
  add_compile_options(-fsanitize=fuzzer-no-link)
endif()

# GCC has the sized forms of delete by default; so has Clang from 19 on.
add_compile_options($<$<COMPILE_LANG_AND_ID:CXX,Clang>:-fsized-deallocation>)

add_library(heaptally_warnings INTERFACE)
target_compile_options(heaptally_warnings INTERFACE -Wall -Wextra -Wundef)
if(HEAPTALLY_WERROR)
  target_compile_options(heaptally_warnings INTERFACE -Werror)
endif()

# The runtime lives in programs that never saw a C++ library.
add_library(heaptally_runtime_options INTERFACE)
target_compile_options(heaptally_runtime_options INTERFACE
  -fno-exceptions -fno-rtti -fno-threadsafe-statics -fvisibility=hidden
  -ftls-model=initial-exec -fno-stack-protector -fasynchronous-unwind-tables
  -fno-math-errno $<$<CXX_COMPILER_ID:GNU>:-fno-gnu-unique>)
target_link_libraries(heaptally_runtime_options INTERFACE heaptally_warnings)
target_include_directories(heaptally_runtime_options INTERFACE
  ${PROJECT_SOURCE_DIR} ${PROJECT_BINARY_DIR}/generated)
if(HEAPTALLY_VERIFY_WALKS)
  target_compile_definitions(heaptally_runtime_options
    INTERFACE HEAPTALLY_VERIFY_WALKS=1)
endif()

function(heaptally_runtime_objects name)
  add_library(${name} OBJECT ${ARGN})
  set_target_properties(${name} PROPERTIES POSITION_INDEPENDENT_CODE ON)
  target_link_libraries(${name} PUBLIC heaptally_runtime_options)
endfunction()

function(heaptally_tool_library name)
  add_library(${name} STATIC ${ARGN})
  target_link_libraries(${name} PUBLIC heaptally_warnings)
  target_include_directories(${name} PUBLIC
    ${PROJECT_SOURCE_DIR} ${PROJECT_BINARY_DIR}/generated)
endfunction()

function(heaptally_test name)
  cmake_parse_arguments(arg "" "" "SOURCES;LIBS;NOT_UNDER" ${ARGN})
  string(REPLACE "," ";" sanitizers "${HEAPTALLY_SANITIZER}")
  foreach(sanitizer IN LISTS sanitizers)
    if(sanitizer IN_LIST arg_NOT_UNDER)
      return()
    endif()
  endforeach()
  if(NOT HEAPTALLY_BUILD_TESTS)
    return()
  endif()
  find_package(GTest REQUIRED)
  add_executable(${name} ${arg_SOURCES})
  target_include_directories(${name} PRIVATE ${PROJECT_SOURCE_DIR})
  target_link_libraries(${name} PRIVATE
    ${arg_LIBS} heaptally_warnings GTest::gmock GTest::gtest_main)
  add_test(NAME ${name} COMMAND ${name})
  set_tests_properties(${name} PROPERTIES TIMEOUT 300)
endfunction()

function(heaptally_fuzzer name)
  if(NOT HEAPTALLY_BUILD_FUZZERS)
    return()
  endif()
  cmake_parse_arguments(arg "" "CORPUS" "SOURCES;LIBS" ${ARGN})
  add_executable(${name} ${arg_SOURCES})
  target_include_directories(${name} PRIVATE ${PROJECT_SOURCE_DIR})
  target_link_libraries(${name} PRIVATE ${arg_LIBS} heaptally_warnings)
  target_link_options(${name} PRIVATE -fsanitize=fuzzer)
  # `name corpus` a line: what tests/run.sh has to run.
  set_property(GLOBAL APPEND_STRING PROPERTY heaptally_fuzzers
    "${name} ${CMAKE_CURRENT_SOURCE_DIR}/${arg_CORPUS}\n")
endfunction()

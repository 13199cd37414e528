# Programs that are run under allocators, and the tests that run them.
#
#   heaptally_program(NAME SOURCES... [LIBS...] [OPTIONS...])
#       an executable that may misuse memory on purpose: the compiler neither
#       removes nor second-guesses an allocation
#   heaptally_plugin(NAME SOURCES... [LIBS...] [OPTIONS...])
#       a small shared object beside it, for programs that load some
#   heaptally_scenario(NAME [PROGRAM P] LABEL L [ARGS...] [EXIT N | SIGNAL N]
#                      [STDOUT T] [STDERR T] [TIMEOUT S] [MODES M...])
#       STDOUT nothing: no output at all.
#       One test for each mode: glibc is the C library's own allocator, the
#       referee; linked is a program that was linked with heaptally, recording
#       all; any other is heaptally, preloaded, in that recording mode

find_package(Python3 REQUIRED COMPONENTS Interpreter)
find_package(Threads REQUIRED)
set(HEAPTALLY_TEST_SUPPORT ${CMAKE_CURRENT_LIST_DIR})

add_library(heaptally_scenario_options INTERFACE)
target_include_directories(heaptally_scenario_options
  INTERFACE ${PROJECT_SOURCE_DIR})
target_compile_options(heaptally_scenario_options INTERFACE
  -fno-builtin -O1 -g -Wno-nonnull -Wno-unused-result
  $<$<COMPILE_LANG_AND_ID:CXX,GNU>:-Wno-alloc-size-larger-than
    -Wno-use-after-free -Wno-free-nonheap-object -Wno-mismatched-new-delete
    -Wno-array-bounds -Wno-stringop-overflow -Wno-deprecated-declarations
    -Wno-sized-deallocation>
  $<$<COMPILE_LANG_AND_ID:C,GNU>:-Wno-alloc-size-larger-than
    -Wno-use-after-free -Wno-free-nonheap-object -Wno-deprecated-declarations>
  $<$<COMPILE_LANG_AND_ID:CXX,Clang>:-fsized-deallocation
    -Wno-deprecated-declarations>)
target_link_libraries(heaptally_scenario_options
  INTERFACE heaptally_warnings Threads::Threads ${CMAKE_DL_LIBS})

function(heaptally_program name)
  cmake_parse_arguments(arg "" "" "SOURCES;LIBS;OPTIONS" ${ARGN})
  add_executable(${name} ${arg_SOURCES})
  target_compile_options(${name} PRIVATE ${arg_OPTIONS})
  target_link_libraries(${name} PRIVATE heaptally_scenario_options ${arg_LIBS})
  set_target_properties(${name} PROPERTIES
    RUNTIME_OUTPUT_DIRECTORY ${CMAKE_CURRENT_BINARY_DIR})
endfunction()

function(heaptally_plugin name)
  cmake_parse_arguments(arg "" "" "SOURCES;LIBS;OPTIONS" ${ARGN})
  add_library(${name} MODULE ${arg_SOURCES})
  target_compile_options(${name} PRIVATE ${arg_OPTIONS})
  target_link_libraries(${name} PRIVATE heaptally_scenario_options ${arg_LIBS})
  set_target_properties(${name} PROPERTIES PREFIX ""
    LIBRARY_OUTPUT_DIRECTORY ${CMAKE_CURRENT_BINARY_DIR})
endfunction()

# Sets `out` to the options of run_case.py that choose the allocator.
function(heaptally_allocator_options out mode)
  if(mode STREQUAL "glibc")
    set(${out} --allocator glibc PARENT_SCOPE)
  elseif(mode STREQUAL "linked")
    set(${out} --allocator heaptally --heaptally mode=all PARENT_SCOPE)
  else()
    set(${out} --allocator heaptally --preload $<TARGET_FILE:heaptally>
      --heaptally mode=${mode} PARENT_SCOPE)
  endif()
endfunction()

function(heaptally_scenario name)
  cmake_parse_arguments(arg "" "PROGRAM;LABEL;EXIT;SIGNAL;STDOUT;STDERR;TIMEOUT"
    "ARGS;MODES" ${ARGN})
  if(NOT arg_PROGRAM)
    set(arg_PROGRAM ${name})
  endif()
  if(NOT arg_MODES)
    set(arg_MODES glibc counters sampled=4096 all)
  endif()
  if(NOT arg_TIMEOUT)
    set(arg_TIMEOUT 60)
  endif()
  set(expected --timeout ${arg_TIMEOUT})
  foreach(key EXIT SIGNAL STDOUT STDERR)
    if(DEFINED arg_${key})
      string(TOLOWER ${key} option)
      string(REGEX REPLACE "^nothing$" "" value "${arg_${key}}")
      list(APPEND expected "--${option}=${value}")
    endif()
  endforeach()
  math(EXPR ctest_timeout "${arg_TIMEOUT} + 90")
  foreach(mode ${arg_MODES})
    if(NOT mode STREQUAL "glibc" AND NOT TARGET heaptally)
      continue()
    endif()
    heaptally_allocator_options(allocator ${mode})
    set(test ${arg_LABEL}/${name}/${mode})
    add_test(NAME ${test}
      COMMAND Python3::Interpreter ${HEAPTALLY_TEST_SUPPORT}/run_case.py
        ${allocator} ${expected} -- $<TARGET_FILE:${arg_PROGRAM}> ${arg_ARGS})
    set_tests_properties(${test} PROPERTIES
      LABELS ${arg_LABEL} TIMEOUT ${ctest_timeout})
  endforeach()
endfunction()

# What a project that uses heaptally gets besides the libraries; a part of the
# installed package, and of a build that includes heaptally.
#
#   heaptally::static     the static library, by a shorter name
#   heaptally::gtest      GoogleTest assertions about the heap (heaptally_gtest.h)
#                         and a listener for leaks
#   heaptally::benchmark  memory figures of Google Benchmark
#                         (heaptally_benchmark.h)
#
# The last two bring the allocator: the shared library, or the static one
# if the target's property HEAPTALLY_STATIC is on.
#
#   heaptally_enable(TARGET [STATIC] [CONFIGS Debug RelWithDebInfo …])
#
# makes heaptally the target's allocator and switches heaptally.h on, in these
# configurations only, or in all; in the others the header compiles and nothing
# of heaptally is in the program.
#
# Set by the includer: heaptally_sources, the folders (a list) that hold the
# files which are compiled with the user's targets; heaptally_headers, those of
# their headers.

set(heaptally_allocator
  "$<IF:$<BOOL:$<TARGET_PROPERTY:HEAPTALLY_STATIC>>,heaptally::heaptally_static,heaptally::heaptally>")

function(heaptally_declare name)
  cmake_parse_arguments(arg "" "" "SOURCES;LIBS" ${ARGN})
  add_library(heaptally::${name} INTERFACE IMPORTED GLOBAL)
  set(sources)
  foreach(source IN LISTS arg_SOURCES)
    find_file(found_${source} ${source} PATHS ${heaptally_sources}
      NO_DEFAULT_PATH NO_CACHE REQUIRED)
    list(APPEND sources ${found_${source}})
  endforeach()
  set_target_properties(heaptally::${name} PROPERTIES
    INTERFACE_SOURCES "${sources}"
    INTERFACE_INCLUDE_DIRECTORIES "${heaptally_headers}"
    INTERFACE_LINK_LIBRARIES "${arg_LIBS}")
endfunction()

if(NOT TARGET heaptally::static)
  heaptally_declare(static LIBS heaptally::heaptally_static)
  if(TARGET heaptally::heaptally_testing)
    heaptally_declare(gtest
      SOURCES heaptally_gtest.cc heaptally_gtest_listener.cc
      LIBS heaptally::heaptally_testing "${heaptally_allocator}"
        $<TARGET_NAME_IF_EXISTS:GTest::gtest>)
    heaptally_declare(benchmark
      SOURCES heaptally_benchmark.cc
      LIBS heaptally::heaptally_testing "${heaptally_allocator}"
        $<TARGET_NAME_IF_EXISTS:benchmark::benchmark>)
  endif()
endif()

function(heaptally_enable target)
  cmake_parse_arguments(arg "STATIC" "" "CONFIGS" ${ARGN})
  if(arg_UNPARSED_ARGUMENTS)
    message(FATAL_ERROR
      "heaptally_enable: what is ${arg_UNPARSED_ARGUMENTS}?")
  endif()
  set(library heaptally::heaptally)
  if(arg_STATIC)
    set(library heaptally::heaptally_static)
  endif()
  if(arg_CONFIGS)
    list(JOIN arg_CONFIGS "," configs)
    set(library "$<$<CONFIG:${configs}>:${library}>")
  endif()
  target_link_libraries(${target} PRIVATE "${library}")
  # The header is there in every configuration.
  target_include_directories(${target} PRIVATE
    $<TARGET_PROPERTY:heaptally::heaptally,INTERFACE_INCLUDE_DIRECTORIES>)
endfunction()

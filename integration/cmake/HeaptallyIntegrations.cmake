# What a project that uses heaptally gets besides the libraries; a part of the
# installed package, and of a build that includes heaptally.
#
#   heaptally::static     the static library, by a shorter name
#   heaptally::gtest      GoogleTest assertions about the heap (heaptally_gtest.h)
#                         and a listener for leaks
#
# heaptally::gtest brings the allocator: the shared library, or the static one
# if the target's property HEAPTALLY_STATIC is on.
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
  endif()
endif()

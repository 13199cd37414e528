# Makes heaptally's own copy of jemalloc: no name of it is visible as a malloc.
#
# Included from a CMakeLists.txt it offers heaptally_private_jemalloc(NAME);
# run with `cmake -P` it is the build step that writes the archive.
#
# jemalloc's C++ operators are left out (heaptally has its own), its public
# names become je_*, and what it would do to the host by itself is
# handed to heaptally: fork handlers, the end of a thread, unwinding. They are in
# allocator/jemalloc_renames.txt. The step fails when a name without je_ is
# left, so that another jemalloc cannot slip one through.

function(heaptally_private_jemalloc name)
  find_library(HEAPTALLY_JEMALLOC_ARCHIVE NAMES libjemalloc_pic.a REQUIRED)
  find_path(HEAPTALLY_JEMALLOC_INCLUDE jemalloc/jemalloc.h REQUIRED)
  set(renames ${CMAKE_CURRENT_SOURCE_DIR}/jemalloc_renames.txt)
  set(script ${PROJECT_SOURCE_DIR}/integration/cmake/PrivateJemalloc.cmake)
  set(archive ${CMAKE_CURRENT_BINARY_DIR}/libheaptally_jemalloc.a)
  add_custom_command(OUTPUT ${archive}
    COMMAND ${CMAKE_COMMAND} -DAR=${CMAKE_AR} -DNM=${CMAKE_NM}
      -DOBJCOPY=${CMAKE_OBJCOPY} -DINPUT=${HEAPTALLY_JEMALLOC_ARCHIVE}
      -DRENAMES=${renames} -DOUTPUT=${archive} -P ${script}
    DEPENDS ${HEAPTALLY_JEMALLOC_ARCHIVE} ${renames} ${script}
    COMMENT "Making the private copy of jemalloc" VERBATIM)
  add_custom_target(${name}_archive DEPENDS ${archive})
  add_library(${name} STATIC IMPORTED GLOBAL)
  add_dependencies(${name} ${name}_archive)
  set_target_properties(${name} PROPERTIES
    IMPORTED_LOCATION ${archive}
    INTERFACE_COMPILE_DEFINITIONS JEMALLOC_NO_RENAME
    INTERFACE_INCLUDE_DIRECTORIES ${HEAPTALLY_JEMALLOC_INCLUDE}
    INTERFACE_LINK_LIBRARIES m)
endfunction()

if(NOT CMAKE_SCRIPT_MODE_FILE)
  return()
endif()

function(run)
  execute_process(COMMAND ${ARGV} RESULT_VARIABLE result)
  if(result)
    message(FATAL_ERROR "failed (${result}): ${ARGV}")
  endif()
endfunction()

set(unfinished ${OUTPUT}.tmp)
file(COPY_FILE ${INPUT} ${unfinished})
file(CHMOD ${unfinished}
  PERMISSIONS OWNER_READ OWNER_WRITE GROUP_READ WORLD_READ)
run(${AR} d ${unfinished} jemalloc_cpp.pic.o)
run(${OBJCOPY} --redefine-syms=${RENAMES} ${unfinished})
execute_process(COMMAND ${NM} --defined-only --extern-only ${unfinished}
  OUTPUT_VARIABLE names RESULT_VARIABLE result ERROR_QUIET)
if(result)
  message(FATAL_ERROR "cannot read the names in ${unfinished}")
endif()
string(REGEX MATCHALL " [A-Za-z] [^\n]+" names "${names}")
list(FILTER names EXCLUDE REGEX "^ [A-Za-z] je_")
if(names)
  message(FATAL_ERROR "names without je_ in the private jemalloc: ${names}")
endif()
file(RENAME ${unfinished} ${OUTPUT})

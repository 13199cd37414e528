# What is shipped: libheaptally.so and libheaptally.a, from the same objects.
#
#   heaptally_runtime_artefacts(OBJECT_LIBRARIES...)
#
# Both give the program the names in exports.map and no others, and both carry
# the private jemalloc. They are linked as C: a name of the C++ library in the
# runtime is a link error (-z defs), save for weak ones.

set(heaptally_exports ${CMAKE_CURRENT_LIST_DIR}/exports.map)
set(heaptally_keep_globals ${CMAKE_CURRENT_LIST_DIR}/KeepGlobals.cmake)

function(heaptally_runtime_artefacts)
  if(HEAPTALLY_SANITIZER OR HEAPTALLY_BUILD_FUZZERS)
    return()
  endif()
  set(objects)
  foreach(part IN LISTS ARGN)
    list(APPEND objects $<TARGET_OBJECTS:${part}>)
  endforeach()

  # No version in the name: it is preloaded by path and found again by it.
  add_library(heaptally SHARED ${objects})
  set_target_properties(heaptally PROPERTIES
    LINKER_LANGUAGE C LINK_DEPENDS ${heaptally_exports})
  target_link_libraries(heaptally PRIVATE heaptally_jemalloc)
  # now: malloc must never enter the lazy resolver. nodelete: blocks and the
  # thread's storage outlive every dlclose.
  target_link_options(heaptally PRIVATE
    -Wl,--version-script=${heaptally_exports} -Wl,-z,defs -Wl,-z,now
    -Wl,-z,relro -Wl,-z,nodelete -Wl,--gc-sections -Wl,--as-needed)

  # One relocatable object, all else local: whoever takes malloc from it takes
  # every door, and no je_ name can meet another jemalloc in the program.
  # GNU's ld by name: lld cannot dissolve the groups.
  find_program(HEAPTALLY_JOINING_LINKER ld.bfd REQUIRED)
  set(whole ${CMAKE_CURRENT_BINARY_DIR}/heaptally_whole.o)
  file(GENERATE OUTPUT ${whole}.list CONTENT "$<JOIN:${objects},\n>\n")
  add_custom_command(OUTPUT ${whole}
    COMMAND ${CMAKE_COMMAND} -DLINKER=${HEAPTALLY_JOINING_LINKER}
      -DOBJCOPY=${CMAKE_OBJCOPY} -DEXPORTS=${heaptally_exports}
      -DARCHIVE=$<TARGET_FILE:heaptally_jemalloc> -DOUTPUT=${whole}
      -DOBJECTS=${whole}.list -P ${heaptally_keep_globals}
    DEPENDS ${objects} ${whole}.list $<TARGET_FILE:heaptally_jemalloc>
      heaptally_jemalloc_archive ${heaptally_exports} ${heaptally_keep_globals}
    COMMAND_EXPAND_LISTS VERBATIM
    COMMENT "Joining the runtime into one object")
  set_source_files_properties(${whole} PROPERTIES EXTERNAL_OBJECT ON)
  add_library(heaptally_static STATIC ${whole})
  set_target_properties(heaptally_static PROPERTIES
    OUTPUT_NAME heaptally LINKER_LANGUAGE C)
  target_link_libraries(heaptally_static INTERFACE m)

  foreach(artefact heaptally heaptally_static)
    # A program that names no allocation itself still gets malloc from here.
    target_link_options(${artefact} INTERFACE -Wl,-u,malloc)
    # Whoever links with it means to have it: the API is not compiled out.
    target_compile_definitions(${artefact} INTERFACE HEAPTALLY_ENABLE)
    target_include_directories(${artefact} INTERFACE
      $<BUILD_INTERFACE:${PROJECT_SOURCE_DIR}/integration/api>)
  endforeach()
endfunction()

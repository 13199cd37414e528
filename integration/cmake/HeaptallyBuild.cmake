# Compiler settings and the few functions that every folder uses.
#
#   heaptally_runtime_objects(NAME SOURCES...)  code for other people's processes
#   heaptally_tool_library(NAME SOURCES...)     code of the tool
#   heaptally_test(NAME SOURCES... LIBS...)     a GoogleTest program and its test

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
  -fno-math-errno)
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
  if(NOT HEAPTALLY_BUILD_TESTS)
    return()
  endif()
  cmake_parse_arguments(arg "" "" "SOURCES;LIBS" ${ARGN})
  find_package(GTest REQUIRED)
  add_executable(${name} ${arg_SOURCES})
  target_include_directories(${name} PRIVATE ${PROJECT_SOURCE_DIR})
  target_link_libraries(${name} PRIVATE
    ${arg_LIBS} heaptally_warnings GTest::gmock GTest::gtest_main)
  add_test(NAME ${name} COMMAND ${name})
  set_tests_properties(${name} PROPERTIES TIMEOUT 300)
endfunction()

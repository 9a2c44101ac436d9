# kinetic_precompiled(TARGET [TEST])
#
# The headers that nearly every source includes, parsed once for all; with TEST those of Google's test library too.
# Off by default: a release, and clang-tidy, read every header where it is included, so none is missing unseen.
set(precompiled_headers
  <algorithm> <array> <atomic> <chrono> <condition_variable> <cstdint> <cstdlib> <filesystem> <fstream> <functional>
  <map> <memory> <mutex> <optional> <set> <span> <stop_token> <string> <string_view> <thread> <utility> <variant>
  <vector> <fmt/format.h> <tl/expected.hpp>)

if(KINETIC_PRECOMPILE)
  file(CONFIGURE OUTPUT ${PROJECT_BINARY_DIR}/empty.cc CONTENT "")
  add_library(kinetic_headers OBJECT ${PROJECT_BINARY_DIR}/empty.cc)
  target_link_libraries(kinetic_headers PRIVATE kinetic_settings fmt::fmt tl::expected Threads::Threads)
  target_precompile_headers(kinetic_headers PRIVATE ${precompiled_headers})
  if(KINETIC_BUILD_TESTS)
    # A program, as tests are: their code is compiled as one.
    add_executable(kinetic_test_headers ${PROJECT_BINARY_DIR}/empty.cc)
    target_link_libraries(kinetic_test_headers PRIVATE
      kinetic_test_settings fmt::fmt tl::expected Threads::Threads GTest::gmock_main)
    target_precompile_headers(kinetic_test_headers PRIVATE
      ${precompiled_headers} <gmock/gmock.h> <gtest/gtest.h>)
  endif()
endif()

function(kinetic_precompiled target)
  cmake_parse_arguments(ARG "TEST" "" "" ${ARGN})
  if(NOT KINETIC_PRECOMPILE)
    return()
  endif()
  if(ARG_TEST)
    target_precompile_headers(${target} REUSE_FROM kinetic_test_headers)
  else()
    target_precompile_headers(${target} REUSE_FROM kinetic_headers)
  endif()
endfunction()

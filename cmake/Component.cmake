# kinetic_component(NAME USES...)
#
# One folder of src/, with its subdirectories, as one object library. USES are the components it may include directly.
set_property(GLOBAL PROPERTY KINETIC_COMPONENTS "")

function(kinetic_component name)
  file(GLOB_RECURSE sources CONFIGURE_DEPENDS ${PROJECT_SOURCE_DIR}/src/${name}/*.cc)
  add_library(kinetic_${name} OBJECT ${sources})
  target_include_directories(kinetic_${name} PUBLIC
    ${PROJECT_SOURCE_DIR}/include ${PROJECT_BINARY_DIR}/include ${PROJECT_SOURCE_DIR}/src)
  target_link_libraries(kinetic_${name} PUBLIC fmt::fmt)
  target_link_libraries(kinetic_${name} PRIVATE kinetic_compile_options)
  foreach(used IN LISTS ARGN)
    target_link_libraries(kinetic_${name} PUBLIC kinetic_${used})
  endforeach()
  target_compile_definitions(kinetic_${name} PRIVATE KINETIC_BUILDING)
  set_property(GLOBAL APPEND PROPERTY KINETIC_COMPONENTS kinetic_${name})
endfunction()

# Reads src/components.txt into COMPONENTS, and the list of what each may include into COMPONENT_USES_<name>.
macro(kinetic_read_components)
  set_property(DIRECTORY APPEND PROPERTY CMAKE_CONFIGURE_DEPENDS ${PROJECT_SOURCE_DIR}/src/components.txt)
  file(STRINGS ${PROJECT_SOURCE_DIR}/src/components.txt lines REGEX "^[a-z]")
  set(COMPONENTS "")
  foreach(line IN LISTS lines)
    string(REGEX MATCH "^([a-z]+) *\\|([a-z ]*)\\|" _ "${line}")
    set(component ${CMAKE_MATCH_1})
    separate_arguments(COMPONENT_USES_${component} UNIX_COMMAND "${CMAKE_MATCH_2}")
    list(APPEND COMPONENTS ${component})
  endforeach()
endmacro()

# Compile options of tests. Tests are compiled once and run once, so optimizing them costs more time than it saves.
add_library(kinetic_test_settings INTERFACE)
target_link_libraries(kinetic_test_settings INTERFACE kinetic_compile_options)
target_compile_options(kinetic_test_settings INTERFACE $<$<CONFIG:Debug>:-O0>)
if(KINETIC_SANITIZE MATCHES undefined)
  # Test code is not checked, because matchers take twice as long to compile.
  target_compile_options(kinetic_test_settings INTERFACE -fno-sanitize=undefined)
endif()

# kinetic_test(NAME LABELS ... SOURCES ... [LIBRARIES ...] [ENVIRONMENT ...] [SHARDS N] [CLUSTER] [SERIAL])
#
# One gtest program that links the static library and the internals of src/, and one ctest of the same name. With SHARDS
# its test cases are divided among N ctests that run at the same time: NAME.1 to NAME.N. With CLUSTER its test cases use
# the Kubernetes cluster of tests/support/cluster.h. With SERIAL no other test runs at the same time as its slow tests.
function(kinetic_test name)
  cmake_parse_arguments(ARG "CLUSTER;SERIAL" "SHARDS;SLOW" "LABELS;SOURCES;LIBRARIES;ENVIRONMENT" ${ARGN})
  set(properties TIMEOUT 900)
  if(ARG_CLUSTER)
    list(APPEND properties FIXTURES_REQUIRED cluster)
    list(APPEND ARG_LABELS cluster)
    list(APPEND ARG_LIBRARIES kinetic_cluster)
  endif()
  add_executable(${name} ${ARG_SOURCES})
  target_link_libraries(${name} PRIVATE
    kinetic_internal kinetic_test_support kinetic_test_settings GTest::gmock_main ${ARG_LIBRARIES})
  if(NOT ARG_SHARDS)
    set(ARG_SHARDS 1)
  endif()
  foreach(shard RANGE 1 ${ARG_SHARDS})
    set(test ${name})
    set(environment ${ARG_ENVIRONMENT})
    if(ARG_SHARDS GREATER 1)
      set(test ${name}.${shard})
      math(EXPR index "${shard} - 1")
      list(APPEND environment GTEST_TOTAL_SHARDS=${ARG_SHARDS} GTEST_SHARD_INDEX=${index})
    endif()
    add_test(NAME ${test} COMMAND ${name} --gtest_brief=1 --gtest_filter=-${ARG_SLOW})
    set_tests_properties(${test} PROPERTIES ${properties} LABELS "${ARG_LABELS}" ENVIRONMENT "${environment}")
  endforeach()
  if(ARG_SLOW)
    add_test(NAME ${name}_everything COMMAND ${name} --gtest_brief=1 --gtest_filter=${ARG_SLOW})
    set_tests_properties(${name}_everything PROPERTIES ${properties} LABELS slow TIMEOUT 1800 RUN_SERIAL ${ARG_SERIAL})
  endif()
endfunction()

# kinetic_uses_cluster(TEST...)
#
# Marks tests that share the Kubernetes cluster of this checkout, each with its own namespaces. Tests that stop the API
# server or a node also need RUN_SERIAL.
function(kinetic_uses_cluster)
  set_tests_properties(${ARGN} PROPERTIES LABELS "e2e;cluster" FIXTURES_REQUIRED cluster SKIP_RETURN_CODE 77 TIMEOUT 900)
endfunction()

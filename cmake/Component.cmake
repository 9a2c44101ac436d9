# kinetic_component(NAME SOURCES ... USES ... LIBRARIES ...)
#
# One folder of src/ as one target. USES names the folders below it that it may include; nothing else is
# on its include path by way of link, and tests/structure checks the includes themselves.
set_property(GLOBAL PROPERTY KINETIC_COMPONENTS "")

function(kinetic_component name)
  cmake_parse_arguments(ARG "" "" "SOURCES;USES;LIBRARIES" ${ARGN})
  add_library(kinetic_${name} OBJECT ${ARG_SOURCES})
  target_include_directories(kinetic_${name} PUBLIC
    ${PROJECT_SOURCE_DIR}/include ${PROJECT_BINARY_DIR}/include ${PROJECT_SOURCE_DIR}/src)
  target_link_libraries(kinetic_${name} PUBLIC tl::expected ${ARG_LIBRARIES})
  target_link_libraries(kinetic_${name} PRIVATE kinetic_settings)
  foreach(used IN LISTS ARG_USES)
    target_link_libraries(kinetic_${name} PUBLIC kinetic_${used})
  endforeach()
  target_compile_definitions(kinetic_${name} PRIVATE KINETIC_BUILDING)
  set_property(GLOBAL APPEND PROPERTY KINETIC_COMPONENTS kinetic_${name})
endfunction()

# kinetic_test(NAME LABEL ... SOURCES ... [LIBRARIES ...])
#
# One gtest program over the static library and the internals of src/.
function(kinetic_test name)
  cmake_parse_arguments(ARG "" "LABEL" "SOURCES;LIBRARIES;ENVIRONMENT" ${ARGN})
  add_executable(${name} ${ARG_SOURCES})
  target_link_libraries(${name} PRIVATE
    kinetic_internal kinetic_test_support kinetic_settings GTest::gmock_main ${ARG_LIBRARIES})
  gtest_discover_tests(${name} DISCOVERY_MODE PRE_TEST
    PROPERTIES LABELS "${ARG_LABEL}" TIMEOUT 900 ENVIRONMENT "${ARG_ENVIRONMENT}")
endfunction()

# kinetic_program(NAME LIBRARY... [STATIC])
#
# An executable from the object library NAME_main, and the static libraries LIBRARY of this project. Third-party
# libraries are linked statically where Debian has archives of them, which halves the start of a program
# (docs/adr/0027). With STATIC the program links neither of them, only glibc, and runs in any image. Sanitizers need
# dynamic linking.
find_library(KINETIC_YAML_CPP_ARCHIVE NAMES libyaml-cpp.a yaml-cpp NAMES_PER_DIR REQUIRED)
find_library(KINETIC_CRYPTO_ARCHIVE NAMES libcrypto.a crypto NAMES_PER_DIR REQUIRED)
find_library(KINETIC_ZSTD_ARCHIVE NAMES libzstd.a zstd NAMES_PER_DIR REQUIRED)
find_library(KINETIC_ISAL_ARCHIVE NAMES libisal.a isal NAMES_PER_DIR REQUIRED)
find_library(KINETIC_ZLIB_ARCHIVE NAMES libz.a z NAMES_PER_DIR REQUIRED)

add_library(kinetic_fmt_archive STATIC ${PROJECT_SOURCE_DIR}/cmake/fmt_archive.cc)
target_include_directories(kinetic_fmt_archive PRIVATE $<TARGET_PROPERTY:fmt::fmt,INTERFACE_INCLUDE_DIRECTORIES>)

function(kinetic_program name)
  cmake_parse_arguments(ARG "STATIC" "" "" ${ARGN})
  add_executable(${name} $<TARGET_OBJECTS:${name}_main>)
  target_link_options(${name} PRIVATE -Wl,--as-needed)
  if(KINETIC_SANITIZE)
    target_link_libraries(${name} PRIVATE ${ARG_UNPARSED_ARGUMENTS})
    target_sources(${name} PRIVATE ${PROJECT_SOURCE_DIR}/cmake/sanitizer_reports.cc)
    target_compile_definitions(${name} PRIVATE
      KINETIC_SANITIZER_REPORTS="${PROJECT_BINARY_DIR}/sanitizer-reports/${name}")
    return()
  endif()
  # Files instead of targets, whose shared libraries would come before the archives.
  foreach(library IN LISTS ARG_UNPARSED_ARGUMENTS)
    target_link_libraries(${name} PRIVATE $<TARGET_FILE:${library}>)
    add_dependencies(${name} ${library})
  endforeach()
  target_link_libraries(${name} PRIVATE kinetic_fmt_archive)
  target_link_options(${name} PRIVATE -Wl,--gc-sections)
  if(ARG_STATIC)
    target_link_options(${name} PRIVATE -static -Wl,--strip-debug)
  else()
    target_link_libraries(${name} PRIVATE ${KINETIC_YAML_CPP_ARCHIVE} ${KINETIC_CRYPTO_ARCHIVE}
      ${KINETIC_ZSTD_ARCHIVE} ${KINETIC_ISAL_ARCHIVE} ${KINETIC_ZLIB_ARCHIVE} Threads::Threads ${CMAKE_DL_LIBS})
    target_link_options(${name} PRIVATE -static-libstdc++ -static-libgcc)
  endif()
endfunction()

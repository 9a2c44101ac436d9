# Adds the target kinetic_archive_library: a libarchive.so.13 for packages, which has only the functions that
# src/oci/inspect/list_layer.cc calls. Debian's needs ICU, which is larger than all other libraries together. Made from
# Debian's archive, and so of the same version.
find_library(KINETIC_LIBARCHIVE_ARCHIVE libarchive.a REQUIRED)
file(STRINGS ${PROJECT_SOURCE_DIR}/src/oci/inspect/list_layer.cc functions REGEX "Find[(]\"archive_")
if(NOT functions)
  message(FATAL_ERROR "src/oci/inspect/list_layer.cc loads no functions of libarchive")
endif()
set_property(DIRECTORY APPEND PROPERTY CMAKE_CONFIGURE_DEPENDS ${PROJECT_SOURCE_DIR}/src/oci/inspect/list_layer.cc)
list(TRANSFORM functions REPLACE ".*\"(archive_[a-z_]+)\".*" "\\1")
list(JOIN functions "; " exported)
file(CONFIGURE OUTPUT ${PROJECT_BINARY_DIR}/archive/exported.map CONTENT "{ global: ${exported}; local: *; };\n")
list(TRANSFORM functions PREPEND "-Wl,-u,")

set(KINETIC_PACKAGED_LIBARCHIVE ${PROJECT_BINARY_DIR}/archive/libarchive.so.13)
add_custom_command(OUTPUT ${KINETIC_PACKAGED_LIBARCHIVE}
  COMMAND ${CMAKE_C_COMPILER} -shared -s -o ${KINETIC_PACKAGED_LIBARCHIVE} ${functions}
    -Wl,-soname,libarchive.so.13 -Wl,--version-script=${PROJECT_BINARY_DIR}/archive/exported.map
    -Wl,--gc-sections -Wl,--as-needed -Wl,-z,defs ${KINETIC_LIBARCHIVE_ARCHIVE} -lz -lzstd
  DEPENDS ${KINETIC_LIBARCHIVE_ARCHIVE} ${PROJECT_BINARY_DIR}/archive/exported.map VERBATIM)
add_custom_target(kinetic_archive_library ALL DEPENDS ${KINETIC_PACKAGED_LIBARCHIVE})

# Packages of the programs, made by cpack: a .deb, and a relocatable .tar.gz. Both contain the shared libraries that the
# programs use except glibc, so that they run on any distribution whose glibc is as new as that of this machine.
find_library(KINETIC_LIBCURL libcurl.so.4 REQUIRED)  # loaded at run time, as libarchive: not seen as dependencies
include(cmake/ArchiveLibrary.cmake)
execute_process(COMMAND getconf GNU_LIBC_VERSION OUTPUT_VARIABLE glibc OUTPUT_STRIP_TRAILING_WHITESPACE)
string(REPLACE "glibc " "" glibc "${glibc}")

install(CODE "
  set(programs \"$<TARGET_FILE:kinetic>\" \"$<TARGET_FILE:kinetic-runner>\")
  set(loaded \"${KINETIC_LIBCURL}\" \"${KINETIC_PACKAGED_LIBARCHIVE}\")
  include(\"${PROJECT_SOURCE_DIR}/cmake/InstallLibraries.cmake\")"
  COMPONENT libraries EXCLUDE_FROM_ALL)

# What Debian's checker of packages expects.
set(debian ${PROJECT_SOURCE_DIR}/packaging/debian)
install(CODE "
  execute_process(COMMAND gzip --best --no-name --stdout \"${debian}/changelog\"
    OUTPUT_FILE \"${PROJECT_BINARY_DIR}/changelog.gz\" COMMAND_ERROR_IS_FATAL ANY)"
  COMPONENT debian EXCLUDE_FROM_ALL)
install(FILES ${PROJECT_BINARY_DIR}/changelog.gz ${debian}/copyright DESTINATION ${CMAKE_INSTALL_DOCDIR}
  COMPONENT debian EXCLUDE_FROM_ALL)
install(FILES ${debian}/lintian-overrides DESTINATION ${CMAKE_INSTALL_DATADIR}/lintian/overrides RENAME kinetic
  COMPONENT debian EXCLUDE_FROM_ALL)

set(CPACK_GENERATOR TGZ DEB)
set(CPACK_INSTALL_CMAKE_PROJECTS
  "${PROJECT_BINARY_DIR};kinetic;program;/" "${PROJECT_BINARY_DIR};kinetic;libraries;/")
set(CPACK_KINETIC_BUILD ${PROJECT_BINARY_DIR})
set(CPACK_PROJECT_CONFIG_FILE ${PROJECT_SOURCE_DIR}/cmake/PackageProjects.cmake)
set(CPACK_PACKAGE_VENDOR kinetic)
set(CPACK_PACKAGE_CONTACT "The kinetic authors <noreply@kinetic.dev>")
set(CPACK_DEBIAN_PACKAGE_DESCRIPTION "runs functions and programs on accelerators in Kubernetes
 kinetic sends a function or a program with its files to this machine or to a
 Kubernetes cluster, builds its environment there, shows its log, and returns
 its value or its exception.")
set(CPACK_PACKAGE_FILE_NAME kinetic-${PROJECT_VERSION}-linux-${CMAKE_SYSTEM_PROCESSOR})
set(CPACK_RESOURCE_FILE_LICENSE ${PROJECT_SOURCE_DIR}/LICENSE)
set(CPACK_STRIP_FILES ON)
set(CPACK_THREADS 0)
set(CPACK_DEBIAN_FILE_NAME DEB-DEFAULT)
set(CPACK_DEBIAN_PACKAGE_DEPENDS "libc6 (>= ${glibc})")
set(CPACK_DEBIAN_PACKAGE_RECOMMENDS "python3, ca-certificates, git")
set(CPACK_DEBIAN_PACKAGE_SECTION devel)
include(CPack)

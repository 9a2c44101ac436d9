# Installs headers, both libraries, both programs, and the package files for CMake and pkg-config.
include(CMakePackageConfigHelpers)

install(DIRECTORY include/kinetic ${PROJECT_BINARY_DIR}/include/kinetic
  DESTINATION ${CMAKE_INSTALL_INCLUDEDIR} FILES_MATCHING PATTERN "*.h")
install(TARGETS kinetic_shared kinetic_static EXPORT kineticTargets
  LIBRARY DESTINATION ${CMAKE_INSTALL_LIBDIR} ARCHIVE DESTINATION ${CMAKE_INSTALL_LIBDIR})
install(TARGETS kinetic RUNTIME DESTINATION ${CMAKE_INSTALL_BINDIR})
install(TARGETS kinetic-runner kinetic-launcher RUNTIME DESTINATION ${CMAKE_INSTALL_LIBEXECDIR}/kinetic)

install(EXPORT kineticTargets NAMESPACE kinetic:: DESTINATION ${CMAKE_INSTALL_LIBDIR}/cmake/kinetic)
configure_package_config_file(cmake/kineticConfig.cmake.in ${PROJECT_BINARY_DIR}/kineticConfig.cmake
  INSTALL_DESTINATION ${CMAKE_INSTALL_LIBDIR}/cmake/kinetic)
write_basic_package_version_file(${PROJECT_BINARY_DIR}/kineticConfigVersion.cmake
  COMPATIBILITY SameMinorVersion)
install(FILES ${PROJECT_BINARY_DIR}/kineticConfig.cmake ${PROJECT_BINARY_DIR}/kineticConfigVersion.cmake
  DESTINATION ${CMAKE_INSTALL_LIBDIR}/cmake/kinetic)

configure_file(cmake/kinetic.pc.in ${PROJECT_BINARY_DIR}/kinetic.pc @ONLY)
install(FILES ${PROJECT_BINARY_DIR}/kinetic.pc DESTINATION ${CMAKE_INSTALL_LIBDIR}/pkgconfig)
install(FILES docs/job.schema.json DESTINATION ${CMAKE_INSTALL_DATADIR}/kinetic OPTIONAL)
install(FILES LICENSE DESTINATION ${CMAKE_INSTALL_DOCDIR})

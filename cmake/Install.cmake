# Installs the programs (component "program"), and headers, both libraries and the package files for CMake and pkg-config
# (component "development").
include(CMakePackageConfigHelpers)

# Completion scripts and the manual page, printed by the built program.
set(user_files ${PROJECT_BINARY_DIR}/user-files)
add_custom_command(OUTPUT ${user_files}/kinetic ${user_files}/_kinetic ${user_files}/kinetic.fish ${user_files}/kinetic.1.gz
  COMMAND kinetic completion bash > ${user_files}/kinetic
  COMMAND kinetic completion zsh > ${user_files}/_kinetic
  COMMAND kinetic completion fish > ${user_files}/kinetic.fish
  COMMAND kinetic __man > ${user_files}/kinetic.1
  COMMAND gzip --best --no-name --force ${user_files}/kinetic.1
  DEPENDS kinetic
  VERBATIM)
add_custom_target(user-files ALL DEPENDS ${user_files}/kinetic.1.gz)
file(MAKE_DIRECTORY ${user_files})

set(CMAKE_INSTALL_DEFAULT_COMPONENT_NAME program)
install(TARGETS kinetic RUNTIME DESTINATION ${CMAKE_INSTALL_BINDIR})
install(TARGETS kinetic-runner kinetic-launcher RUNTIME DESTINATION ${CMAKE_INSTALL_LIBEXECDIR}/kinetic)
install(FILES ${user_files}/kinetic DESTINATION ${CMAKE_INSTALL_DATADIR}/bash-completion/completions)
install(FILES ${user_files}/_kinetic DESTINATION ${CMAKE_INSTALL_DATADIR}/zsh/site-functions)
install(FILES ${user_files}/kinetic.fish DESTINATION ${CMAKE_INSTALL_DATADIR}/fish/vendor_completions.d)
install(FILES ${user_files}/kinetic.1.gz DESTINATION ${CMAKE_INSTALL_MANDIR}/man1)
install(FILES docs/job.schema.json DESTINATION ${CMAKE_INSTALL_DATADIR}/kinetic OPTIONAL)
install(FILES LICENSE DESTINATION ${CMAKE_INSTALL_DOCDIR})

set(CMAKE_INSTALL_DEFAULT_COMPONENT_NAME development)
install(DIRECTORY include/kinetic ${PROJECT_BINARY_DIR}/include/kinetic
  DESTINATION ${CMAKE_INSTALL_INCLUDEDIR} FILES_MATCHING PATTERN "*.h")
install(TARGETS kinetic_shared kinetic_settings_shared EXPORT kineticTargets
  LIBRARY DESTINATION ${CMAKE_INSTALL_LIBDIR})
install(TARGETS kinetic_static kinetic_settings_static EXPORT kineticStaticTargets
  ARCHIVE DESTINATION ${CMAKE_INSTALL_LIBDIR})
foreach(targets IN ITEMS kineticTargets kineticStaticTargets)
  install(EXPORT ${targets} NAMESPACE kinetic:: DESTINATION ${CMAKE_INSTALL_LIBDIR}/cmake/kinetic)
endforeach()
configure_package_config_file(cmake/kineticConfig.cmake.in ${PROJECT_BINARY_DIR}/kineticConfig.cmake
  INSTALL_DESTINATION ${CMAKE_INSTALL_LIBDIR}/cmake/kinetic)
write_basic_package_version_file(${PROJECT_BINARY_DIR}/kineticConfigVersion.cmake
  COMPATIBILITY SameMinorVersion)
install(FILES ${PROJECT_BINARY_DIR}/kineticConfig.cmake ${PROJECT_BINARY_DIR}/kineticConfigVersion.cmake
  DESTINATION ${CMAKE_INSTALL_LIBDIR}/cmake/kinetic)
# The files for pkg-config name their folders relative to their own, so that an installation can be moved.
if(IS_ABSOLUTE "${CMAKE_INSTALL_LIBDIR}" OR IS_ABSOLUTE "${CMAKE_INSTALL_INCLUDEDIR}")
  set(pkgconfig_prefix ${CMAKE_INSTALL_PREFIX})
  set(pkgconfig_libdir ${CMAKE_INSTALL_FULL_LIBDIR})
  set(pkgconfig_includedir ${CMAKE_INSTALL_FULL_INCLUDEDIR})
else()
  file(RELATIVE_PATH up "/prefix/${CMAKE_INSTALL_LIBDIR}/pkgconfig" "/prefix")
  set(pkgconfig_prefix "\${pcfiledir}/${up}")
  set(pkgconfig_libdir "\${prefix}/${CMAKE_INSTALL_LIBDIR}")
  set(pkgconfig_includedir "\${prefix}/${CMAKE_INSTALL_INCLUDEDIR}")
endif()
foreach(package IN ITEMS kinetic kinetic-settings)
  configure_file(cmake/${package}.pc.in ${PROJECT_BINARY_DIR}/${package}.pc @ONLY)
  install(FILES ${PROJECT_BINARY_DIR}/${package}.pc DESTINATION ${CMAKE_INSTALL_LIBDIR}/pkgconfig)
endforeach()

# Read by cpack for each generator.
if(CPACK_GENERATOR STREQUAL DEB)
  list(APPEND CPACK_INSTALL_CMAKE_PROJECTS "${CPACK_KINETIC_BUILD};kinetic;debian;/")
endif()

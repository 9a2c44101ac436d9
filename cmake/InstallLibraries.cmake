# Installs the shared libraries of ${programs}, ${modules} and ${loaded}, except those of glibc, into lib/kinetic, where
# the programs search first, and the copyright files of their Debian packages. ${destination} replaces the prefix.
# Libraries whose name matches ${excluded} are not installed.
set(glibc "^ld-linux" "^lib(anl|c|dl|m|mvec|nsl|pthread|resolv|rt|thread_db|util)\\.so")
file(GET_RUNTIME_DEPENDENCIES EXECUTABLES ${programs} LIBRARIES ${loaded} MODULES ${modules}
  RESOLVED_DEPENDENCIES_VAR libraries PRE_EXCLUDE_REGEXES ${glibc} ${excluded})
set(prefix "${CMAKE_INSTALL_PREFIX}")  # file(INSTALL) prepends DESTDIR
if(destination)
  set(prefix "${destination}")
endif()
set(files "*/libarchive.a")  # of the packaged libarchive
foreach(library IN LISTS libraries loaded)
  get_filename_component(name "${library}" NAME)
  get_filename_component(file "${library}" REALPATH)
  file(INSTALL "${file}" DESTINATION "${prefix}/lib/kinetic" RENAME "${name}")
  string(REGEX MATCH "[^/]*/[^/]*$" file "${file}")
  list(APPEND files "*/${file}")
endforeach()

execute_process(COMMAND dpkg-query -S ${files} OUTPUT_VARIABLE owners ERROR_QUIET)
string(REGEX MATCHALL "(^|\n)[a-z0-9.+-]+:" packages "${owners}")
string(REGEX REPLACE "[\n:]" "" packages "${packages}")
list(REMOVE_DUPLICATES packages)
foreach(package IN LISTS packages)
  if(EXISTS "/usr/share/doc/${package}/copyright")
    file(INSTALL "/usr/share/doc/${package}/copyright" DESTINATION "${prefix}/share/doc/kinetic/libraries"
      RENAME "${package}")
  endif()
endforeach()

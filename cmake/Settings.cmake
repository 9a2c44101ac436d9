# Compile options of every target; linked privately, not exported.
set(CMAKE_CXX_STANDARD 20)
set(CMAKE_CXX_STANDARD_REQUIRED ON)
set(CMAKE_CXX_EXTENSIONS OFF)
set(CMAKE_POSITION_INDEPENDENT_CODE ON)
set(CMAKE_CXX_VISIBILITY_PRESET hidden)
set(CMAKE_VISIBILITY_INLINES_HIDDEN ON)
set(CMAKE_EXPORT_COMPILE_COMMANDS ON)

find_program(CCACHE_PROGRAM ccache)
if(CCACHE_PROGRAM)
  # The key contains no path of the checkout, so that checkouts share compiled files.
  set(CMAKE_CXX_COMPILER_LAUNCHER ${CMAKE_COMMAND} -E env CCACHE_BASEDIR=${PROJECT_SOURCE_DIR} CCACHE_NOHASHDIR=1
    CCACHE_SLOPPINESS=time_macros ${CCACHE_PROGRAM})
endif()

add_library(kinetic_compile_options INTERFACE)
target_compile_options(kinetic_compile_options INTERFACE
  -Wall -Wextra -Wpedantic -Wshadow -Wconversion -Wsign-conversion -Wold-style-cast
  -Wformat=2 -Wnon-virtual-dtor -Woverloaded-virtual -Wcast-qual -Wundef)
# One section per function, so that the static launcher contains only called functions.
target_compile_options(kinetic_compile_options INTERFACE -ffunction-sections -fdata-sections)
if(CMAKE_CXX_COMPILER_ID STREQUAL "GNU")
  target_compile_options(kinetic_compile_options INTERFACE
    -Wduplicated-cond -Wlogical-op -Wuseless-cast -Wno-missing-field-initializers
    # False positives for std::optional at -O1 and "text" + std::string at -O2. Sanitizers and tests cover these.
    -Wno-maybe-uninitialized $<$<CONFIG:Release>:-Wno-restrict>)
  if(CMAKE_UNITY_BUILD)
    # A false positive: GCC treats a source included by a unity file as a header.
    target_compile_options(kinetic_compile_options INTERFACE -Wno-subobject-linkage)
  endif()
else()
  target_compile_options(kinetic_compile_options INTERFACE -Wno-missing-field-initializers)
endif()
if(KINETIC_WARNINGS_AS_ERRORS)
  target_compile_options(kinetic_compile_options INTERFACE -Werror)
endif()
target_compile_definitions(kinetic_compile_options INTERFACE $<$<CONFIG:Debug>:_GLIBCXX_ASSERTIONS>)
if(KINETIC_SANITIZE)
  add_compile_options(-fsanitize=${KINETIC_SANITIZE} -fno-omit-frame-pointer -fno-sanitize-recover=all)
  add_link_options(-fsanitize=${KINETIC_SANITIZE})
endif()

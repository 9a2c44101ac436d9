# cmake -DOUTPUT=shim_source.cc "-DINPUTS=a.py;b.py" -P embed.cmake
#
# Writes the sources of the Python shim into a C++ source.
set(entries "")
foreach(input IN LISTS INPUTS)
  get_filename_component(name ${input} NAME)
  file(READ ${input} content)
  string(APPEND entries "    {\"${name}\", R\"kinetic(${content})kinetic\"},\n")
endforeach()
file(WRITE ${OUTPUT} "#include \"runner/shim_source.h\"

#include <array>

namespace kinetic::runner {
namespace {

constexpr ShimFile kFiles[] = {
${entries}};

}  // namespace

std::span<const ShimFile> ShimFiles() { return kFiles; }

}  // namespace kinetic::runner
")

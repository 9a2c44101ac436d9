# cmake -DOUTPUT=python_sources.cc "-DSHIM=a.py;b.py" -DPROBE=probe.py -P embed.cmake
#
# Embeds the runner's Python files in a C++ source.
set(entries "")
foreach(input IN LISTS SHIM)
  get_filename_component(name ${input} NAME)
  file(READ ${input} content)
  string(APPEND entries "    {\"${name}\", R\"kinetic(${content})kinetic\"},\n")
endforeach()
file(READ ${PROBE} probe)
file(WRITE ${OUTPUT} "#include \"runner/program/python_sources.h\"

#include <array>

namespace kinetic::runner {
namespace {

constexpr ShimFile kFiles[] = {
${entries}};

}  // namespace

std::span<const ShimFile> ShimFiles() { return kFiles; }

std::string_view DeviceProbeSource() {
  return R\"kinetic(${probe})kinetic\";
}

}  // namespace kinetic::runner
")

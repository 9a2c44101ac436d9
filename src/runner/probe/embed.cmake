# cmake -DOUTPUT=device_probe_source.cc -DINPUT=device_probe.py -P embed.cmake
#
# Writes the source of the probe into a C++ source.
file(READ ${INPUT} content)
file(WRITE ${OUTPUT} "#include \"runner/device_probe_source.h\"

namespace kinetic::runner {

std::string_view DeviceProbeSource() {
  return R\"kinetic(${content})kinetic\";
}

}  // namespace kinetic::runner
")

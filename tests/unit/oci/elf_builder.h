#pragma once

#include <cstdint>
#include <string>
#include <vector>

namespace kinetic::oci {

struct ElfSample {
  std::uint16_t machine = 62;
  std::string interpreter;
  std::vector<std::string> needed;
  std::string rpath, runpath;
  std::string trailer;  ///< bytes after the loaded part: symbols, debug information
};

/// Returns a shared library, or a program if it has an interpreter, with one segment at 0x1000.
std::string BuildElf(const ElfSample& sample);

}  // namespace kinetic::oci

#pragma once

#include <cstdint>
#include <string>
#include <vector>

namespace kinetic::oci {

/// What a small ELF file of a test says.
struct ElfSample {
  std::uint16_t machine = 62;
  std::string interpreter;
  std::vector<std::string> needed;
  std::string rpath, runpath;
  std::string behind;  ///< bytes behind what is loaded: symbols, debug information
};

/// The bytes of a shared library, or of a program when it has an interpreter: one segment from the
/// beginning of the file, loaded at 0x1000.
std::string BuildElf(const ElfSample& sample);

}  // namespace kinetic::oci

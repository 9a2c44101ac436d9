#pragma once

#include "kinetic/result.h"

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

namespace kinetic::oci {

/// The machines that images are made for, as ELF has them.
inline constexpr std::uint16_t kMachineAmd64 = 62;
inline constexpr std::uint16_t kMachineArm64 = 183;

/// What the dynamic loader reads of a program or a shared library.
struct Elf {
  std::uint16_t machine = 0;
  std::string interpreter;          ///< the loader; empty: a static program, or a library
  std::vector<std::string> needed;  ///< DT_NEEDED, in order
  /// DT_RUNPATH, else DT_RPATH: folders to look in first; may begin with $ORIGIN.
  std::vector<std::string> run_path;
  std::uint64_t loaded_bytes = 0;  ///< the part of the file, from its beginning, that is loaded
};

/// Reads a program or shared library from all bytes of its file. No byte of it is trusted.
///
/// @param where  begins every message.
/// @errors  kInvalidArgument: no ELF program or library · kUnimplemented: not of 64 bits, little
///          endian · kDataLoss: it says of itself what cannot be.
/// @source  https://refspecs.linuxfoundation.org/elf/gabi4+/contents.html
Result<Elf> ReadElf(std::string_view file, std::string_view where);

/// The file without what is not loaded: symbols, debug information and the section table.
///
/// @errors  as ReadElf.
Result<std::string> Strip(std::string_view file, std::string_view where);

}  // namespace kinetic::oci

#pragma once

#include "kinetic/result.h"

#include "base/files/file_system.h"

#include <cstdint>
#include <map>
#include <string>
#include <string_view>
#include <vector>

namespace kinetic::oci {

inline constexpr std::uint16_t kMachineAmd64 = 62;
inline constexpr std::uint16_t kMachineArm64 = 183;

/// The fields of a program or shared library that the dynamic loader reads.
struct Elf {
  std::uint16_t machine = 0;
  std::string interpreter;            ///< the loader; empty: a static program, or a library
  std::vector<std::string> needed;    ///< DT_NEEDED, in order
  std::vector<std::string> run_path;  ///< DT_RUNPATH, else DT_RPATH; may begin with $ORIGIN
  bool inherits_run_path = true;      ///< no DT_RUNPATH: uses also those of what loads it
  std::uint64_t loaded_bytes = 0;     ///< size of the part that is loaded, from the file's start
};

/// Reads a program or shared library. `file` is its content and may be malicious; `where` begins
/// the error message.
///
/// @errors  kInvalidArgument: not an ELF program or library · kUnimplemented: not 64-bit little
///          endian · kDataLoss: malformed.
/// @source  https://refspecs.linuxfoundation.org/elf/gabi4+/contents.html
Result<Elf> ReadElf(std::string_view file, std::string_view where);

/// Returns the file without symbols, debug information and section table.
///
/// @errors  as ReadElf.
Result<std::string> StripElf(std::string_view file, std::string_view where);

/// Returns the folders that the dynamic loader searches: those of /etc/ld.so.conf and its includes,
/// then the default folders of the machine type.
///
/// @param root  the root folder, for tests.
/// @errors  those of FileSystem; a missing file is empty.
Result<std::vector<Path>> FindLibraryFolders(FileSystem& fs, std::uint16_t machine,
                                             const Path& root = "/");

struct SharedLibraries {
  std::string interpreter;            ///< the loader's path in the program
  std::map<std::string, Path> files;  ///< by DT_NEEDED name; includes the loader
};

/// Finds the shared libraries of a program as the dynamic loader would, without running it:
/// recursively by DT_NEEDED, in DT_RUNPATH, or in DT_RPATH of the file and of what loads it, then
/// in `folders`. Ignores glibc-hwcaps,
/// because the program may run on another processor.
///
/// @param program          the file's content. A static program needs no files.
/// @param path             its path, for $ORIGIN and messages.
/// @param extra_libraries  libraries that it loads at run time.
/// @errors  kNotFound: a library is missing; those of ReadElf.
Result<SharedLibraries> FindSharedLibraries(FileSystem& fs, std::string_view program,
                                            const Path& path,
                                            const std::vector<std::string>& extra_libraries,
                                            const std::vector<Path>& folders);

}  // namespace kinetic::oci

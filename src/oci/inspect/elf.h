#pragma once

#include "kinetic/result.h"

#include "base/files/file_system.h"

#include <cstdint>
#include <map>
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

/// What a dynamically linked program needs to start.
struct SharedLibraries {
  std::string interpreter;            ///< the loader, as the program names it
  std::map<std::string, Path> files;  ///< by the name that they are asked for by; the loader too
};

/// Finds what a program needs as the dynamic loader would, without running anything: names from
/// DT_NEEDED, from the program down; places from DT_RUNPATH or DT_RPATH of who asks, then
/// `folders`. Variants for particular processors (glibc-hwcaps) are left aside: the program may run
/// on another one.
///
/// @param program    all bytes of its file; empty `files` come back for a static one.
/// @param path       where it lies, for $ORIGIN and for messages.
/// @param also       libraries that it loads while it runs.
/// @errors  kNotFound: a library, and who needs it; those of ReadElf.
Result<SharedLibraries> FindSharedLibraries(FileSystem& fs, std::string_view program,
                                            const Path& path, const std::vector<std::string>& also,
                                            const std::vector<Path>& folders);

/// The folders that the dynamic loader of a machine looks in for libraries of a kind: those of
/// /etc/ld.so.conf and what it includes, then its own.
///
/// @param root  "/"; tests have others.
/// @errors  the file system's; an absent file names no folder.
Result<std::vector<Path>> LibraryFolders(FileSystem& fs, std::uint16_t machine,
                                         const Path& root = "/");

}  // namespace kinetic::oci

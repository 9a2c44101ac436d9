#pragma once

#include "kinetic/result.h"

#include "base/files/file_system.h"

#include <map>
#include <string>
#include <vector>

namespace kinetic::oci {

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

}  // namespace kinetic::oci

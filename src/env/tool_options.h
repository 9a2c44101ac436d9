#pragma once

#include "base/files/file_system.h"
#include "base/time/clock.h"

#include <map>
#include <string>

namespace kinetic::env {

/// The options for running Python, uv and pip on this machine.
struct ToolOptions {
  Path cache_dir;           ///< absolute; contains environments/, logs/, secrets/, tools/
  std::string search_path;  ///< as in PATH
  std::map<std::string, std::string> environment;  ///< the caller's; passed to programs
  FileSystem* fs = &PosixFileSystem();
  Clock* clock = &SystemClock();
};

}  // namespace kinetic::env

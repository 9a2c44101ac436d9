#include "runner/pod/termination_message.h"

#include "base/files/file_system.h"
#include "base/files/unique_fd.h"
#include "pod/package_build_request.h"

#include <fcntl.h>

#include <string>

namespace kinetic::runner {

void WriteTerminationMessage(std::string_view message) {
  const UniqueFd file(
      ::open(std::string(pod::kTerminationFile).c_str(), O_WRONLY | O_TRUNC | O_CLOEXEC));
  if (file) (void)PosixFileSystem().Write(file.get(), message.substr(0, pod::kTerminationBytes));
}

}  // namespace kinetic::runner

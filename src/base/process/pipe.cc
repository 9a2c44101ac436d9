#include "base/process/pipe.h"

#include "base/files/file_system.h"

#include <fcntl.h>
#include <unistd.h>

#include <cerrno>

namespace kinetic {

Result<Pipe> MakePipe() {
  int fds[2];
  if (::pipe2(fds, O_CLOEXEC) < 0) return Failure(ErrnoError(errno, "creating", "a pipe"));
  return Pipe{UniqueFd(fds[0]), UniqueFd(fds[1])};
}

}  // namespace kinetic


#include "backend/local/child_reaper.h"

#include <sys/wait.h>

namespace kinetic::backend {

void ChildReaper::Add(pid_t process) {
  const std::lock_guard lock(mutex_);
  processes_.push_back(process);
}

void ChildReaper::Reap() {
  const std::lock_guard lock(mutex_);
  std::erase_if(processes_, [](pid_t process) {
    int status = 0;
    return ::waitpid(process, &status, WNOHANG) != 0;
  });
}

}  // namespace kinetic::backend

#pragma once

#include <sys/types.h>

#include <string>
#include <vector>

namespace kinetic::test {

/// Our client in a process of its own, which dies with this object at the latest.
class ToolProcess {
 public:
  explicit ToolProcess(const std::vector<std::string>& arguments);
  ToolProcess(const ToolProcess&) = delete;
  ToolProcess& operator=(const ToolProcess&) = delete;
  ~ToolProcess() { Kill(); }

  /// Waits for its end. @returns its exit code, or 128 and the signal that ended it.
  int Wait();
  bool Ended();
  void Kill();

 private:
  pid_t pid_ = -1;
  int status_ = 0;
};

}  // namespace kinetic::test

#pragma once

#include <sys/types.h>

#include <string>
#include <vector>

namespace kinetic::test {

/// A program that dies with this object at the latest.
class ChildProcess {
 public:
  /// @param argv  the first is a path. Its environment is ours; its output goes where ours does.
  explicit ChildProcess(std::vector<std::string> argv);
  ChildProcess(const ChildProcess&) = delete;
  ChildProcess& operator=(const ChildProcess&) = delete;
  ~ChildProcess() { Kill(); }

  /// Waits for its end. @returns its exit code, or 128 and the signal that ended it.
  int Wait();
  bool Ended();
  void Kill();

 private:
  pid_t pid_ = -1;
  int status_ = 0;
};

}  // namespace kinetic::test

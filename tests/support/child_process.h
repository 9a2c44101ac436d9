#pragma once

#include <sys/types.h>

#include <string>
#include <vector>

namespace kinetic::test {

/// A program that is terminated at the latest when this object is destroyed.
class ChildProcess {
 public:
  /// @param argv  starts with a path. Environment and output are those of this process.
  explicit ChildProcess(std::vector<std::string> argv);
  ChildProcess(const ChildProcess&) = delete;
  ChildProcess& operator=(const ChildProcess&) = delete;
  ~ChildProcess() { Kill(); }

  /// Waits until the program ends. @returns the exit code, or 128 plus the signal number.
  int Wait();
  bool Ended();
  void Kill();

 private:
  pid_t pid_ = -1;
  int status_ = 0;
};

}  // namespace kinetic::test

#pragma once

#include "support/child_process.h"

namespace kinetic::test {

/// The client as a process of its own.
class ToolProcess : public ChildProcess {
 public:
  explicit ToolProcess(std::vector<std::string> arguments)
      : ChildProcess(WithProgram(std::move(arguments))) {}

 private:
  static std::vector<std::string> WithProgram(std::vector<std::string> arguments) {
    arguments.insert(arguments.begin(), GCS_TOOL);
    return arguments;
  }
};

}  // namespace kinetic::test

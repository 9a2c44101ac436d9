#pragma once

#include "kinetic/result.h"

#include "commands/job_arguments.h"

#include <optional>
#include <string>

namespace kinetic::cli {

class Command;
struct Context;

struct ImageDockerfileOptions {
  JobArguments job;
  std::optional<std::string> output;
  bool locked = false;
};

void RegisterImageDockerfile(Command& parent);
Result<int> Run(const ImageDockerfileOptions& options, Context& context);

}  // namespace kinetic::cli

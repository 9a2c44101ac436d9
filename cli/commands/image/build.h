#pragma once

#include "kinetic/result.h"

#include "commands/job/arguments.h"

namespace kinetic::cli {

class Command;
struct Context;

struct ImageBuildOptions {
  JobArguments job;
  bool locked = false;
  bool renew = false;
};

void RegisterImageBuild(Command& parent);
Result<int> Run(const ImageBuildOptions& options, Context& context);

}  // namespace kinetic::cli

#pragma once

#include "kinetic/result.h"

#include "commands/job/arguments.h"

namespace kinetic::cli {

class Command;
struct Context;

struct BundleLsOptions {
  JobArguments job;
};

void RegisterBundleLs(Command& parent);
Result<int> Run(const BundleLsOptions& options, Context& context);

}  // namespace kinetic::cli

#pragma once

#include "kinetic/result.h"

#include "commands/job/arguments.h"

namespace kinetic::cli {

class Command;
struct Context;

struct LockOptions {
  JobArguments job;
  bool renew = false;
};

void RegisterLock(Command& parent);
Result<int> Run(const LockOptions& options, Context& context);

}  // namespace kinetic::cli

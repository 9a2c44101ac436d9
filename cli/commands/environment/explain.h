#pragma once

#include "kinetic/result.h"

#include "commands/job/arguments.h"

namespace kinetic::cli {

class Command;
struct Context;

struct EnvExplainOptions {
  JobArguments job;
};

void RegisterEnvExplain(Command& parent);
Result<int> Run(const EnvExplainOptions& options, Context& context);

}  // namespace kinetic::cli

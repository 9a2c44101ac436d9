#pragma once

#include "kinetic/result.h"

#include "commands/job/arguments.h"

namespace kinetic::cli {

class Command;
struct Context;

struct ImageExplainOptions {
  JobArguments job;
};

void RegisterImageExplain(Command& parent);
Result<int> Run(const ImageExplainOptions& options, Context& context);

}  // namespace kinetic::cli

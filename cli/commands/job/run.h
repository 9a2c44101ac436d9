#pragma once

#include "kinetic/result.h"

#include "commands/job/answer.h"
#include "commands/job/arguments.h"

#include <optional>
#include <string>

namespace kinetic::cli {

class Command;
struct Context;

struct RunOptions {
  JobArguments job;
  std::optional<std::string> id;
  bool detach = false;
  bool dry_run = false;
  bool locked = false;
  bool relock = false;
  bool cancel_on_interrupt = false;
  AnswerOptions answer;
};

void RegisterRun(Command& parent);
Result<int> Run(const RunOptions& options, Context& context);

}  // namespace kinetic::cli

#pragma once

#include "kinetic/result.h"

#include "commands/job/arguments.h"

#include <optional>
#include <string>

namespace kinetic::cli {

class Command;
struct Context;

struct BundleDiffOptions {
  JobArguments job;
  std::optional<std::string> since;
};

void RegisterBundleDiff(Command& parent);
Result<int> Run(const BundleDiffOptions& options, Context& context);

}  // namespace kinetic::cli

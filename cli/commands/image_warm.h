#pragma once

#include "kinetic/result.h"

#include "commands/job_arguments.h"

#include <cstdint>
#include <optional>
#include <string>

namespace kinetic::cli {

class Command;
struct Context;

struct ImageWarmOptions {
  JobArguments job;
  std::optional<std::uint64_t> nodes;
  std::optional<std::string> pool;
};

void RegisterImageWarm(Command& parent);
Result<int> Run(const ImageWarmOptions& options, Context& context);

}  // namespace kinetic::cli

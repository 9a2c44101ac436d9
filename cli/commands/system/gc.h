#pragma once

#include "kinetic/result.h"

#include <optional>
#include <string>

namespace kinetic::cli {

class Command;
struct Context;

struct GcOptions {
  bool dry_run = false;
  std::optional<std::string> jobs_older_than;
};

void RegisterGc(Command& parent);
Result<int> Run(const GcOptions& options, Context& context);

}  // namespace kinetic::cli

#pragma once

#include "kinetic/result.h"

#include <string>

namespace kinetic::cli {

class Command;
struct Context;

struct OutputsLsOptions {
  std::string id;
};

void RegisterOutputsLs(Command& parent);
Result<int> Run(const OutputsLsOptions& options, Context& context);

}  // namespace kinetic::cli

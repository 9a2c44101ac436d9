#pragma once

#include "kinetic/result.h"

#include <string>

namespace kinetic::cli {

class Command;
struct Context;

struct OutputsOptions {
  std::string id;
};

void RegisterOutputs(Command& parent);
Result<int> Run(const OutputsOptions& options, Context& context);

}  // namespace kinetic::cli

#pragma once

#include "kinetic/result.h"

namespace kinetic::cli {

class Command;
struct Context;

struct ConfigShowOptions {
  bool origin = false;
};

void RegisterConfigShow(Command& parent);
Result<int> Run(const ConfigShowOptions& options, Context& context);

}  // namespace kinetic::cli

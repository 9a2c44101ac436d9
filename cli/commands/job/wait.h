#pragma once

#include "kinetic/result.h"

#include <string>

namespace kinetic::cli {

class Command;
struct Context;

struct WaitOptions {
  std::string id;
};

void RegisterWait(Command& parent);
Result<int> Run(const WaitOptions& options, Context& context);

}  // namespace kinetic::cli

#pragma once

#include "kinetic/result.h"

#include <string>
#include <vector>

namespace kinetic::cli {

class Command;
struct Context;

struct RmOptions {
  std::vector<std::string> ids;
  bool force = false;
};

void RegisterRm(Command& parent);
Result<int> Run(const RmOptions& options, Context& context);

}  // namespace kinetic::cli

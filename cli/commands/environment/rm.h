#pragma once

#include "kinetic/result.h"

#include <string>
#include <vector>

namespace kinetic::cli {

class Command;
struct Context;

struct EnvRmOptions {
  std::vector<std::string> ids;
};

void RegisterEnvRm(Command& parent);
Result<int> Run(const EnvRmOptions& options, Context& context);

}  // namespace kinetic::cli

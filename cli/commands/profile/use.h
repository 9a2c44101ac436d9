#pragma once

#include "kinetic/result.h"

#include <string>

namespace kinetic::cli {

class Command;
struct Context;

struct ProfileUseOptions {
  std::string name;
};

void RegisterProfileUse(Command& parent);
Result<int> Run(const ProfileUseOptions& options, Context& context);

}  // namespace kinetic::cli

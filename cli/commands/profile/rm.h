#pragma once

#include "kinetic/result.h"

#include <string>

namespace kinetic::cli {

class Command;
struct Context;

struct ProfileRmOptions {
  std::string name;
};

void RegisterProfileRm(Command& parent);
Result<int> Run(const ProfileRmOptions& options, Context& context);

}  // namespace kinetic::cli

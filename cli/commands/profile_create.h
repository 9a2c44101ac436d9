#pragma once

#include "kinetic/result.h"

#include <string>
#include <vector>

namespace kinetic::cli {

class Command;
struct Context;

struct ProfileCreateOptions {
  std::string name;
  std::vector<std::string> set;
  bool use = false;
};

void RegisterProfileCreate(Command& parent);
Result<int> Run(const ProfileCreateOptions& options, Context& context);

}  // namespace kinetic::cli

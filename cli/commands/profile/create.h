#pragma once

#include "kinetic/result.h"

#include <optional>
#include <string>
#include <vector>

namespace kinetic::cli {

class Command;
struct Context;

struct ProfileCreateOptions {
  std::string name;
  std::optional<std::string> kind;
  std::vector<std::string> set;
  bool use = false;
};

void RegisterProfileCreate(Command& parent);
Result<int> Run(const ProfileCreateOptions& options, Context& context);

}  // namespace kinetic::cli

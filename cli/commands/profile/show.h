#pragma once

#include "kinetic/result.h"

#include <optional>
#include <string>

namespace kinetic::cli {

class Command;
struct Context;

struct ProfileShowOptions {
  std::optional<std::string> name;
};

void RegisterProfileShow(Command& parent);
Result<int> Run(const ProfileShowOptions& options, Context& context);

}  // namespace kinetic::cli

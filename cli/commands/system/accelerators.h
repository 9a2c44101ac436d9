#pragma once

#include "kinetic/result.h"

#include <optional>
#include <string>

namespace kinetic::cli {

class Command;
struct Context;

struct AcceleratorsOptions {
  std::optional<std::string> name;
};

void RegisterAccelerators(Command& parent);
Result<int> Run(const AcceleratorsOptions& options, Context& context);

}  // namespace kinetic::cli

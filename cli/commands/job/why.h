#pragma once

#include "kinetic/result.h"

#include <optional>
#include <string>

namespace kinetic::cli {

class Command;
struct Context;

struct WhyOptions {
  std::optional<std::string> id;
};

void RegisterWhy(Command& parent);
Result<int> Run(const WhyOptions& options, Context& context);

}  // namespace kinetic::cli

#pragma once

#include "kinetic/result.h"

#include <optional>
#include <string>
#include <vector>

namespace kinetic::cli {

class Command;
struct Context;

struct OutputsGetOptions {
  std::string id;
  std::vector<std::string> paths;
  std::optional<std::string> to;
};

void RegisterOutputsGet(Command& parent);
Result<int> Run(const OutputsGetOptions& options, Context& context);

}  // namespace kinetic::cli

#pragma once

#include "kinetic/result.h"

#include <string>
#include <vector>

namespace kinetic::cli {

class Command;
struct Context;

struct ImageRmOptions {
  std::vector<std::string> tags;
};

void RegisterImageRm(Command& parent);
Result<int> Run(const ImageRmOptions& options, Context& context);

}  // namespace kinetic::cli

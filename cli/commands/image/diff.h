#pragma once

#include "kinetic/result.h"

#include <string>

namespace kinetic::cli {

class Command;
struct Context;

struct ImageDiffOptions {
  std::string before;
  std::string now;
};

void RegisterImageDiff(Command& parent);
Result<int> Run(const ImageDiffOptions& options, Context& context);

}  // namespace kinetic::cli

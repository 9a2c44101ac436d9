#pragma once

#include "kinetic/result.h"

#include <string>
#include <vector>

namespace kinetic::cli {

class Command;
struct Context;

struct CancelOptions {
  std::vector<std::string> ids;
};

void RegisterCancel(Command& parent);
Result<int> Run(const CancelOptions& options, Context& context);

}  // namespace kinetic::cli

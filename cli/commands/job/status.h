#pragma once

#include "kinetic/result.h"

#include <string>

namespace kinetic::cli {

class Command;
struct Context;

struct StatusOptions {
  std::string id;
};

void RegisterStatus(Command& parent);
Result<int> Run(const StatusOptions& options, Context& context);

}  // namespace kinetic::cli

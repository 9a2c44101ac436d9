#pragma once

#include "kinetic/result.h"

#include <string>

namespace kinetic::cli {

class Command;
struct Context;

struct CompletionOptions {
  std::string shell;
};

void RegisterCompletion(Command& parent);
Result<int> Run(const CompletionOptions& options, Context& context);

}  // namespace kinetic::cli

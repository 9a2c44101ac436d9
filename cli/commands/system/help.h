#pragma once

#include "kinetic/result.h"

#include <string>
#include <vector>

namespace kinetic::cli {

class Command;
struct Context;

struct HelpOptions {
  std::vector<std::string> command;  ///< "bundle", "ls"; empty: the program's own help
};

void RegisterHelp(Command& parent);
Result<int> Run(const HelpOptions& options, Context& context);

}  // namespace kinetic::cli

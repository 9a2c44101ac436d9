#pragma once

#include "kinetic/result.h"

#include <string>
#include <vector>

namespace kinetic::cli {

class Command;
struct Context;

struct DataRmOptions {
  std::vector<std::string> names;
};

void RegisterDataRm(Command& parent);
Result<int> Run(const DataRmOptions& options, Context& context);

}  // namespace kinetic::cli

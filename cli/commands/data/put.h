#pragma once

#include "kinetic/result.h"

#include <optional>
#include <string>

namespace kinetic::cli {

class Command;
struct Context;

struct DataPutOptions {
  std::string path;
  std::optional<std::string> name;
};

void RegisterDataPut(Command& parent);
Result<int> Run(const DataPutOptions& options, Context& context);

}  // namespace kinetic::cli

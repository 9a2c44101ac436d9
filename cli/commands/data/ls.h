#pragma once

#include "kinetic/result.h"

namespace kinetic::cli {

class Command;
struct Context;

struct DataLsOptions {};

void RegisterDataLs(Command& parent);
Result<int> Run(const DataLsOptions& options, Context& context);

}  // namespace kinetic::cli

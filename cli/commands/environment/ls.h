#pragma once

#include "kinetic/result.h"

namespace kinetic::cli {

class Command;
struct Context;

struct EnvLsOptions {};

void RegisterEnvLs(Command& parent);
Result<int> Run(const EnvLsOptions& options, Context& context);

}  // namespace kinetic::cli

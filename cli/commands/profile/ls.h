#pragma once

#include "kinetic/result.h"

namespace kinetic::cli {

class Command;
struct Context;

struct ProfileLsOptions {};

void RegisterProfileLs(Command& parent);
Result<int> Run(const ProfileLsOptions& options, Context& context);

}  // namespace kinetic::cli

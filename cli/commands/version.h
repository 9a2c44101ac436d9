#pragma once

#include "kinetic/result.h"

namespace kinetic::cli {

class Command;
struct Context;

struct VersionOptions {};

void RegisterVersion(Command& parent);
Result<int> Run(const VersionOptions& options, Context& context);

}  // namespace kinetic::cli

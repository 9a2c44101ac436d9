#pragma once

#include "kinetic/result.h"

namespace kinetic::cli {

class Command;
struct Context;

struct ImageLsOptions {};

void RegisterImageLs(Command& parent);
Result<int> Run(const ImageLsOptions& options, Context& context);

}  // namespace kinetic::cli

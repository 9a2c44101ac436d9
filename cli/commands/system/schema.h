#pragma once

#include "kinetic/result.h"

namespace kinetic::cli {

class Command;
struct Context;

struct SchemaOptions {};

void RegisterSchema(Command& parent);
Result<int> Run(const SchemaOptions& options, Context& context);

}  // namespace kinetic::cli

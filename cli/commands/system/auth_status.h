#pragma once

#include "kinetic/result.h"

namespace kinetic::cli {

class Command;
struct Context;

void RegisterAuthStatus(Command& parent);
Result<int> RunAuthStatus(Context& context);

}  // namespace kinetic::cli

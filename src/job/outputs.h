#pragma once

#include "job/context.h"

#include <string>
#include <string_view>

namespace kinetic::job {

/// Where the files are, or will be, that a job wrote to its output folder.
std::string OutputsOf(const Context& context, std::string_view id);

}  // namespace kinetic::job

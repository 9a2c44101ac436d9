#pragma once

#include "kinetic/result.h"

#include <functional>
#include <string_view>

namespace kinetic::oci {

/// Takes the next bytes; its error ends what makes them.
using ByteSink = std::function<Status(std::string_view bytes)>;

}  // namespace kinetic::oci

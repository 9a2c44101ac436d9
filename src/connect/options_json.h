#pragma once

#include "kinetic/cloud.h"
#include "kinetic/value.h"

namespace kinetic::connect {

/// All of the options but where requests are reported, secrets among them: for a pipe, not for a
/// file.
Value ToValue(const CloudOptions& options);

/// @errors  kDataLoss: which member is missing or of another type.
Result<CloudOptions> OptionsFromValue(const Value& value);

}  // namespace kinetic::connect

#pragma once

#include "kinetic/cloud.h"
#include "kinetic/value.h"

#include "base/files/file_system.h"
#include "curl/transport.h"

namespace kinetic::connect {

/// How servers are reached by the caller's options: HTTP version, proxy and certificates.
///
/// @errors  kFailedPrecondition and those of FileSystem: the CA file.
Result<curl::Options> NetworkOf(const CloudOptions& options, FileSystem& fs);

/// All of the options but where requests are reported, secrets among them: for a pipe, not for a
/// file.
Value ToValue(const CloudOptions& options);

/// @errors  kDataLoss: which member is missing or of another type.
Result<CloudOptions> OptionsFromValue(const Value& value);

}  // namespace kinetic::connect

#pragma once

#include "kinetic/cloud.h"
#include "kinetic/value.h"

#include "base/files/file_system.h"
#include "curl/transport.h"

namespace kinetic::connect {

/// Returns HTTP version, proxy and CA certificates as transport options.
///
/// @errors  kFailedPrecondition (the CA file) · those of FileSystem.
Result<curl::Options> ToCurlOptions(const CloudOptions& options, FileSystem& fs);

/// Returns all options except `retry_for`, `requests` and `waits` as JSON. It contains secrets: write it to a pipe, not to a
/// file.
Value ToValue(const CloudOptions& options);

/// @errors  kDataLoss: names the field that is missing or has another type.
Result<CloudOptions> CloudOptionsFromValue(const Value& value);

}  // namespace kinetic::connect

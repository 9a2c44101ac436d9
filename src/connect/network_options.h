#pragma once

#include "kinetic/cloud.h"

#include "base/files/file_system.h"
#include "curl/options.h"

namespace kinetic::connect {

/// How servers are reached by the caller's options: HTTP version, proxy and certificates.
///
/// @errors  kFailedPrecondition and those of FileSystem: the CA file.
Result<curl::Options> NetworkOf(const CloudOptions& options, FileSystem& fs);

}  // namespace kinetic::connect

#pragma once

#include "kinetic/result.h"

#include <string>
#include <string_view>

namespace kinetic::gcs {

/// What STORAGE_EMULATOR_HOST or an endpoint setting names, as ClientOptions wants it. Without a
/// scheme it is http; a path stays, but for a '/' at its end and the "/storage/v1" that some
/// clients want there.
///
/// @errors  kInvalidArgument, naming the text.
/// @source  https://cloud.google.com/go/docs/reference/cloud.google.com/go/storage
Result<std::string> EndpointFrom(std::string_view text);

}  // namespace kinetic::gcs

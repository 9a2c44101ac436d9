#pragma once

#include "support/gcs_server/content.h"

#include <functional>
#include <string_view>

namespace kinetic::gcs_server {

/// Decompresses gzip with any number of members, passed on in pieces. Returns false if the content
/// is invalid or truncated, or if `take` returned false.
bool Gunzip(const Content& content, const std::function<bool(std::string_view piece)>& take);

}  // namespace kinetic::gcs_server

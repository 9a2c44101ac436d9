#pragma once

#include "support/gcs_server/content.h"

#include <functional>
#include <string_view>

namespace kinetic::gcs_server {

/// Unpacks gzip, also several members one after the other, and passes it on piece by piece. False
/// when the content is no gzip, ends too early, or `take` said so.
bool Gunzip(const Content& content, const std::function<bool(std::string_view piece)>& take);

}  // namespace kinetic::gcs_server

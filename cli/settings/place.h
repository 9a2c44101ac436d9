#pragma once

#include "kinetic/result.h"

#include <string>
#include <string_view>

namespace kinetic::cli {

/// Checks the syntax of a store location: a folder, or a location that CheckBucketStore accepts.
/// Sends no request.
///
/// @param  what  the name to use in the error: "--store".
Status CheckPlace(std::string_view what, const std::string& text);

/// Checks that a text is a server address: "http://host:port", or the same without the scheme.
///
/// @param schemes  the allowed schemes: "http https".
Status CheckAddress(std::string_view what, std::string_view text, std::string_view schemes);

}  // namespace kinetic::cli

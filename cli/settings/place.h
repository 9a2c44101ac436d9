#pragma once

#include "kinetic/result.h"

#include <string>
#include <string_view>

namespace kinetic::cli {

/// Whether a place can be a store's, as far as that can be said without asking anybody: a folder,
/// or what CheckBucketStore takes.
///
/// @param  what  named in the error: "--store".
Status CheckPlace(std::string_view what, const std::string& text);

/// Whether a text is the address of a server: "http://host:port", or without the scheme.
///
/// @param schemes  "http https": those allowed.
Status CheckAddress(std::string_view what, std::string_view text, std::string_view schemes);

}  // namespace kinetic::cli

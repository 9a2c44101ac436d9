#pragma once

#include <optional>
#include <string>
#include <string_view>

namespace kinetic {

/// With padding.
///
/// @source RFC 4648, section 4
std::string Base64Encode(std::string_view bytes);

/// Nothing when `text` is not base64 with its padding; white space is no part of it.
std::optional<std::string> Base64Decode(std::string_view text);

/// The form for URLs and tokens, without padding.
///
/// @source RFC 4648, section 5
std::string Base64UrlEncode(std::string_view bytes);

}  // namespace kinetic

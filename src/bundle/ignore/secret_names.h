#pragma once

#include <optional>
#include <span>
#include <string_view>

namespace kinetic::bundle {

/// One sort of file whose name says that it may hold a secret.
struct SecretName {
  std::string_view pattern;  ///< as a line of a .gitignore; '!' takes back
  std::string_view meaning;  ///< "a private key"
};

/// The table, for the documentation. Upper and lower case do not count.
std::span<const SecretName> SecretNames();

/// What a file of this path probably holds, when its name looks like a secret.
///
/// @param path  relative to the root, '/'-separated.
std::optional<std::string_view> SecretMeaning(std::string_view path);

}  // namespace kinetic::bundle

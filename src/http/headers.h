#pragma once

#include "base/time/clock.h"

#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

namespace kinetic::http {

/// Header fields in the order in which they were added. Names are case-insensitive and may repeat.
///
/// @source RFC 9110, section 5
class Headers {
 public:
  Headers() = default;
  Headers(std::initializer_list<std::pair<std::string, std::string>> fields) : fields_(fields) {}

  void Add(std::string name, std::string value);
  /// Replaces all fields of that name with one.
  void Set(std::string name, std::string value);
  void Remove(std::string_view name);

  /// Returns the first value of that name.
  std::optional<std::string_view> Get(std::string_view name) const;
  /// Returns all values of that name joined by ", " (RFC 9110, section 5.3), or an empty string.
  std::string Joined(std::string_view name) const;

  auto begin() const { return fields_.begin(); }
  auto end() const { return fields_.end(); }
  bool empty() const { return fields_.empty(); }

 private:
  std::vector<std::pair<std::string, std::string>> fields_;
};

/// Formats header fields for display, one "name: value" per line, with credentials replaced by
/// "[secret]".
std::string Redacted(const Headers& headers);

/// Parses the time of a Date, Last-Modified or Retry-After field in the preferred format, such as
/// "Sun, 06 Nov 1994 08:49:37 GMT". Returns nullopt for any other format.
///
/// @source RFC 9110, section 5.6.7
std::optional<WallTime> ParseHttpDate(std::string_view text);

}  // namespace kinetic::http

#pragma once

#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

namespace kinetic::http {

/// Header fields in the order they were given. Names are compared without regard to case, and a
/// name may occur more than once.
///
/// @source RFC 9110, section 5
class Headers {
 public:
  Headers() = default;
  Headers(std::initializer_list<std::pair<std::string, std::string>> fields) : fields_(fields) {}

  void Add(std::string name, std::string value);
  /// Replaces every field of that name by one.
  void Set(std::string name, std::string value);
  void Remove(std::string_view name);

  /// The first value of that name.
  std::optional<std::string_view> Get(std::string_view name) const;
  /// Every value of that name, joined by ", " as RFC 9110 5.3 allows; empty when there is none.
  std::string Joined(std::string_view name) const;

  auto begin() const { return fields_.begin(); }
  auto end() const { return fields_.end(); }
  bool empty() const { return fields_.empty(); }

 private:
  std::vector<std::pair<std::string, std::string>> fields_;
};

}  // namespace kinetic::http

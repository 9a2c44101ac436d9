#pragma once

#include "kinetic/value.h"

#include "json/array_items.h"

#include <cstddef>
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>

namespace kinetic::json {

/// Collects stored bytes. Those of an .npy file of numbers go where Value::As takes them from without
/// a copy.
class ContentBuilder {
 public:
  /// @param size_bytes  the expected size, which may be wrong; 0: unknown.
  explicit ContentBuilder(std::uint64_t size_bytes) : size_bytes_(size_bytes) {}

  void Append(std::string_view piece);
  Bytes Finish();

 private:
  /// Decides by the first bytes where the others go.
  void Begin();

  std::uint64_t size_bytes_;
  bool has_begun_ = false;
  std::string text_;  ///< all bytes, or the header of an array
  std::optional<ItemVector> items_;
};

}  // namespace kinetic::json

#pragma once

#include "env/pep/marker.h"

#include <cstdint>
#include <memory>
#include <string>
#include <string_view>
#include <vector>

namespace kinetic::env {

/// A part of a marker: a comparison, or several parts joined by `and` or `or`.
struct Marker::Node {
  enum class Kind : std::uint8_t { kAnd, kOr, kCompare } kind = Kind::kCompare;
  std::vector<std::shared_ptr<const Node>> operands;  ///< of and, or

  struct Operand {
    bool variable = false;
    std::string text;
    std::string ToString() const {
      if (variable) return text;
      const char quote = text.find('"') == std::string::npos ? '"' : '\'';
      return quote + text + quote;
    }
  };
  Operand left, right;
  std::string op;
};

/// Parses a marker (PEP 508).
/// @errors  those of Marker::Parse.
Result<std::shared_ptr<const Marker::Node>> ParseMarker(std::string_view text);

}  // namespace kinetic::env

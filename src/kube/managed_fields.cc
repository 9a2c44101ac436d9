#include "kube/object.h"

namespace kinetic::kube {
namespace {

constexpr std::string_view kKey = "\"managedFields\":[";

/// Returns the position after the ']' of a list whose '[' is before `from`, or npos.
std::size_t EndOfList(std::string_view json, std::size_t from) {
  int depth = 1;
  bool quoted = false;
  for (std::size_t i = from; i < json.size(); ++i) {
    const char c = json[i];
    if (quoted) {
      if (c == '\\') ++i;
      if (c == '"') quoted = false;
    } else if (c == '"') {
      quoted = true;
    } else if (c == '[') {
      ++depth;
    } else if (c == ']' && --depth == 0) {
      return i + 1;
    }
  }
  return std::string_view::npos;
}

}  // namespace

std::string WithoutManagedFields(std::string_view json) {
  std::string kept;
  kept.reserve(json.size());
  for (std::size_t at = 0; (at = json.find(kKey)) != std::string_view::npos;) {
    const std::size_t begin = at + kKey.size();
    // After a backslash the quote is part of a string.
    const bool is_key = at == 0 || json[at - 1] != '\\';
    const std::size_t end = is_key ? EndOfList(json, begin) : begin;
    if (end == std::string_view::npos) break;
    kept += json.substr(0, begin);
    if (is_key) kept += ']';
    json.remove_prefix(end);
  }
  kept += json;
  return kept;
}

}  // namespace kinetic::kube

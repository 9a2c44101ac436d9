#include "base/strings.h"
#include "jobspec/serialize.h"

#include <algorithm>
#include <array>
#include <optional>
#include <string>
#include <string_view>

namespace kinetic::jobspec {
namespace {

/// Keys that name files on this machine; jobs do not read them from the record.
constexpr std::array<std::string_view, 3> kLocalPaths{"bundle", "dependencies", "image"};

std::string Below(const std::string& path, const std::string& key) {
  return path.empty() ? Printable(key) : path + "." + Printable(key);
}

/// Returns the path of the first text that is not UTF-8.
std::optional<std::string> FindBytes(const Value& value, const std::string& path) {
  if (const auto* text = value.AsString(); text != nullptr && !IsUtf8(*text)) return path;
  if (const auto* list = value.AsList()) {
    for (std::size_t i = 0; i < list->size(); ++i) {
      if (auto found = FindBytes((*list)[i], path + "[" + std::to_string(i) + "]")) return found;
    }
  }
  const auto* map = value.AsMap();
  if (map == nullptr) return std::nullopt;
  const bool is_data = path.starts_with("data.");
  for (const auto& [key, item] : *map) {
    if (path.empty() && std::ranges::find(kLocalPaths, key) != kLocalPaths.end()) continue;
    if (is_data && key == "source") continue;
    if (!IsUtf8(key)) return Below(path, key);
    if (auto found = FindBytes(item, Below(path, key))) return found;
  }
  return std::nullopt;
}

}  // namespace

Status CheckText(const JobSpec& spec) {
  const auto found = FindBytes(ToValue(spec), "");
  if (!found) return {};
  const auto position = spec.positions.find(*found);
  const std::string place =
      position == spec.positions.end() ? "" : position->second.ToString() + ": ";
  return Fail(ErrorCode::kInvalidArgument, place + *found + ": not valid UTF-8",
              "encode the bytes as text, for example in base64, or put them into a file");
}

}  // namespace kinetic::jobspec

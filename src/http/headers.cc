#include "http/headers.h"

#include "base/strings.h"

#include <algorithm>

namespace kinetic::http {
namespace {

bool SameName(std::string_view a, std::string_view b) {
  return a.size() == b.size() && ToLower(a) == ToLower(b);
}

}  // namespace

void Headers::Add(std::string name, std::string value) {
  fields_.emplace_back(std::move(name), std::move(value));
}

void Headers::Set(std::string name, std::string value) {
  Remove(name);
  Add(std::move(name), std::move(value));
}

void Headers::Remove(std::string_view name) {
  std::erase_if(fields_, [&](const auto& field) { return SameName(field.first, name); });
}

std::optional<std::string_view> Headers::Get(std::string_view name) const {
  const auto found = std::find_if(fields_.begin(), fields_.end(),
                                  [&](const auto& field) { return SameName(field.first, name); });
  if (found == fields_.end()) return std::nullopt;
  return found->second;
}

std::string Headers::Joined(std::string_view name) const {
  std::string joined;
  for (const auto& [key, value] : fields_) {
    if (!SameName(key, name)) continue;
    if (!joined.empty()) joined += ", ";
    joined += value;
  }
  return joined;
}

}  // namespace kinetic::http

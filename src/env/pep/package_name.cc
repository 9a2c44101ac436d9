#include "env/pep/requirement.h"

#include <algorithm>

namespace kinetic::env {
namespace {

bool IsAlphanumeric(char c) {
  return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || (c >= '0' && c <= '9');
}

bool IsNameSeparator(char c) { return c == '-' || c == '_' || c == '.'; }

}  // namespace

std::string NormalizedName(std::string_view name) {
  std::string normal;
  for (const char c : name) {
    if (!IsNameSeparator(c)) {
      normal += c >= 'A' && c <= 'Z' ? static_cast<char>(c - 'A' + 'a') : c;
    } else if (normal.empty() || normal.back() != '-') {
      normal += '-';
    }
  }
  return normal;
}

bool IsPackageName(std::string_view name) {
  return !name.empty() && IsAlphanumeric(name.front()) && IsAlphanumeric(name.back()) &&
         std::all_of(name.begin(), name.end(),
                     [](char c) { return IsAlphanumeric(c) || IsNameSeparator(c); });
}

}  // namespace kinetic::env

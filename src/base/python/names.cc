#include "base/python/names.h"

namespace kinetic {

std::string NormalizedName(std::string_view name) {
  std::string normal;
  for (const char c : name) {
    if (c != '-' && c != '_' && c != '.') {
      normal += c >= 'A' && c <= 'Z' ? static_cast<char>(c - 'A' + 'a') : c;
    } else if (normal.empty() || normal.back() != '-') {
      normal += '-';
    }
  }
  return normal;
}

std::string NameOfRequirement(std::string_view requirement) {
  return NormalizedName(requirement.substr(0, requirement.find_first_of(" \t[(=<>!~;@")));
}

}  // namespace kinetic

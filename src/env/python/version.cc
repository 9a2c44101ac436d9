#include "env/python/version.h"

#include "base/strings.h"

#include <algorithm>
#include <compare>

namespace kinetic::env {
namespace {

using Numbers = std::vector<std::int64_t>;

/// More than any minor version has.
constexpr std::int64_t kPatchVersions = 100;

std::strong_ordering Compare(Numbers a, Numbers b) {
  const std::size_t size = std::max(a.size(), b.size());
  a.resize(size);
  b.resize(size);
  return a <=> b;
}

bool BeginsWith(Numbers version, const Numbers& prefix) {
  version.resize(std::max(version.size(), prefix.size()));
  return std::equal(prefix.begin(), prefix.end(), version.begin());
}

bool Matches(std::string_view clause, const Numbers& python) {
  const std::string_view op =
      clause.substr(0, std::min(clause.find_first_not_of("<>=!~"), clause.size()));
  std::string_view text = Trim(clause.substr(op.size()));
  const bool is_prefix = text.ends_with(".*");
  if (is_prefix) text.remove_suffix(2);
  Numbers wanted = VersionNumbers(text);
  if (wanted.empty()) return true;
  const auto order = Compare(python, wanted);
  if (op == ">=") return order >= 0;
  if (op == ">") return order > 0;
  if (op == "<=") return order <= 0;
  if (op == "<") return order < 0;
  if (op == "==") return is_prefix ? BeginsWith(python, wanted) : order == 0;
  if (op == "!=") return is_prefix ? !BeginsWith(python, wanted) : order != 0;
  if (op != "~=") return true;
  wanted.pop_back();
  return order >= 0 && BeginsWith(python, wanted);
}

}  // namespace

std::vector<std::int64_t> VersionNumbers(std::string_view version) {
  Numbers numbers;
  const auto parts = Split(version, '.');
  for (std::size_t i = 0; i < parts.size(); ++i) {
    const auto end = std::min(parts[i].find_first_not_of("0123456789"), parts[i].size());
    const auto number = ParseInt(parts[i].substr(0, end));
    const std::string_view rest = parts[i].substr(end);
    const bool is_prerelease = i + 1 == parts.size() && !rest.empty() &&
                               std::string_view("abr").find(rest[0]) != std::string_view::npos;
    if (!number || (!rest.empty() && !is_prerelease)) return {};
    numbers.push_back(*number);
  }
  return numbers;
}

std::string MinorVersion(std::string_view python) {
  const auto parts = Split(python, '.');
  return std::string(parts[0]) + (parts.size() > 1 ? "." + std::string(parts[1]) : "");
}

bool AllowsPython(std::string_view requires_python, std::string_view minor) {
  const auto clauses = Split(requires_python, ',');
  Numbers python = VersionNumbers(minor);
  python.resize(3);
  for (std::int64_t patch = 0; patch < kPatchVersions; ++patch) {  // it is unknown here
    python[2] = patch;
    const bool is_allowed = std::ranges::all_of(
        clauses, [&](std::string_view clause) { return Matches(Trim(clause), python); });
    if (is_allowed) return true;
  }
  return false;
}

}  // namespace kinetic::env

#include "settings/check_value.h"

#include "kinetic/printable.h"
#include "kinetic/try.h"

#include "settings/duration.h"
#include "settings/suggest.h"

#include <fmt/format.h>

#include <algorithm>
#include <charconv>
#include <chrono>
#include <cstdint>
#include <string>
#include <vector>

namespace kinetic::settings {
namespace {

std::string_view SchemesOf(SettingId id) {
  return id == SettingId::kProxy ? "http https socks4 socks4a socks5 socks5h" : "http https";
}

/// Accepts the same versions as `python:` of the job file.
bool IsPythonVersion(const std::string& text) {
  constexpr std::string_view kMajor = "3.";
  constexpr std::size_t kMaxMinorDigits = 2;
  if (!text.starts_with(kMajor)) return false;
  const std::string minor = text.substr(kMajor.size());
  const bool number = !minor.empty() && minor.size() <= kMaxMinorDigits && minor.front() != '0' &&
                      minor.find_first_not_of("0123456789") == std::string::npos;
  return number && (minor.size() == kMaxMinorDigits || minor == "9");
}

/// Checks the limit of Cloud Build: one day.
Status CheckBuildTimeout(std::string_view what, const std::string& text) {
  constexpr std::chrono::minutes kMost = std::chrono::days(1);
  KINETIC_ASSIGN_OR_RETURN(const auto time, ParseDurationOf(what, text));
  if (time >= std::chrono::minutes{1} && time <= kMost) return {};
  return Fail(
      ErrorCode::kInvalidArgument,
      fmt::format("{}: expected from 1 to {} minutes, found '{}'", what, kMost.count(), text));
}

}  // namespace

Status CheckSetting(const SettingInfo& info, std::string_view what, const std::string& text) {
  if (info.type == SettingType::kNumber) {
    std::uint32_t number = 0;
    const char* end = text.data() + text.size();
    const auto parsed = std::from_chars(text.data(), end, number);
    if (parsed.ec != std::errc() || parsed.ptr != end)
      return Fail(ErrorCode::kInvalidArgument,
                  fmt::format("{}: expected a whole number from 0 to {}, found '{}'", what,
                              std::numeric_limits<std::uint32_t>::max(), text));
  }
  if (info.id == SettingId::kRetryFor) KINETIC_RETURN_IF_ERROR(ParseDurationOf(what, text));
  if (info.id == SettingId::kBuildTimeout) KINETIC_RETURN_IF_ERROR(CheckBuildTimeout(what, text));
  if (info.type == SettingType::kChoice) {
    const auto choices = Choices(info);
    if (std::find(choices.begin(), choices.end(), text) == choices.end())
      return Fail(
          ErrorCode::kInvalidArgument,
          fmt::format("{}: expected one of {}; found '{}'", what, fmt::join(choices, ", "), text),
          DidYouMean(text, choices));
  }
  if (text.empty())
    return Fail(ErrorCode::kInvalidArgument, fmt::format("{}: expected a value", what));
  if (info.id == SettingId::kPython && !IsPythonVersion(text))
    return Fail(
        ErrorCode::kInvalidArgument,
        fmt::format("{}: expected a version such as 3.12 (3.9 or newer), found '{}'", what, text));
  if (info.type == SettingType::kText) return CheckClusterName(info.id, what, text);
  if (info.type == SettingType::kStore) return CheckStoreLocation(what, text);
  if (info.type != SettingType::kUrl) return {};
  return CheckAddress(what, text, SchemesOf(info.id));
}

Result<const SettingInfo*> FindProfileSetting(std::string_view what, std::string_view name) {
  const SettingInfo* info = FindSetting(name);
  if (info != nullptr && info->in_profile) return info;
  std::vector<std::string> known;
  for (const SettingInfo& row : SettingsTable())
    if (row.in_profile) known.emplace_back(row.name);
  const std::string hint = DidYouMean(name, known);
  return Fail(ErrorCode::kInvalidArgument,
              fmt::format("{}: unknown setting '{}'", what, Printable(name)),
              hint.empty() ? fmt::format("valid settings: {}", fmt::join(known, ", ")) : hint);
}

Status CheckProfileName(std::string_view name) {
  constexpr std::size_t kLongest = 63;
  const auto allowed = [](char c) {
    return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || (c >= '0' && c <= '9') || c == '-' ||
           c == '_' || c == '.';
  };
  if (name.empty() || name.size() > kLongest || name.front() == '-' ||
      !std::all_of(name.begin(), name.end(), allowed))
    return Fail(ErrorCode::kInvalidArgument,
                fmt::format("'{}' is not a valid profile name", Printable(name)),
                "use letters, digits, '-', '_' and '.', at most 63 characters");
  return {};
}

}  // namespace kinetic::settings

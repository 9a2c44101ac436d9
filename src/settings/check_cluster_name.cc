#include "settings/check_value.h"

#include <fmt/format.h>

#include <algorithm>

namespace kinetic::settings {
namespace {

constexpr std::size_t kLabel = 63;
constexpr std::size_t kSubdomain = 253;

bool IsSmall(char c) { return (c >= 'a' && c <= 'z') || (c >= '0' && c <= '9'); }

/// Checks for lowercase letters, digits and the characters in `between`, which must not be first or
/// last.
bool IsName(std::string_view text, std::size_t longest, std::string_view between) {
  return !text.empty() && text.size() <= longest && IsSmall(text.front()) && IsSmall(text.back()) &&
         std::ranges::all_of(
             text, [&](char c) { return IsSmall(c) || between.find(c) != std::string_view::npos; });
}

bool IsImage(std::string_view text) {
  return std::ranges::all_of(text, [](char c) { return c > ' ' && c < '\x7f'; });
}

bool IsEmail(std::string_view text) {
  const std::size_t at = text.find('@');
  return at != std::string_view::npos && at > 0 && IsName(text.substr(at + 1), kSubdomain, "-.") &&
         std::ranges::all_of(text.substr(0, at),
                             [](char c) { return IsSmall(c) || c == '-' || c == '.'; });
}

bool IsCredential(std::string_view text) {
  constexpr std::string_view kSecret = "secret:";
  if (text == "metadata" || text == "none") return true;
  return text.starts_with(kSecret) && IsName(text.substr(kSecret.size()), kSubdomain, "-.");
}

Status Expect(bool good, std::string_view what, std::string_view expected,
              const std::string& text) {
  if (good) return {};
  return Fail(ErrorCode::kInvalidArgument,
              fmt::format("{}: expected {}, found '{}'", what, expected, text));
}

}  // namespace

Status CheckClusterName(SettingId id, std::string_view what, const std::string& text) {
  switch (id) {
    case SettingId::kNamespace:
      return Expect(IsName(text, kLabel, "-"), what,
                    "1 to 63 lowercase letters, digits or '-', without '-' at either end", text);
    case SettingId::kServiceAccount:
      return Expect(IsName(text, kSubdomain, "-."), what,
                    "lowercase letters, digits, '-' or '.', without '-' or '.' at either end",
                    text);
    case SettingId::kProject:
      return Expect(IsName(text, kLabel, "-.:"), what, "a project ID such as my-project-1", text);
    case SettingId::kLocation:
      return Expect(IsName(text, kLabel, "-"), what, "a region or zone such as us-central1", text);
    case SettingId::kCluster:
      return Expect(IsName(text, kLabel, "-"), what,
                    "a cluster name of lowercase letters, digits and '-'", text);
    case SettingId::kBuildRegion:
      return Expect(IsName(text, kLabel, "-"), what, "a region such as europe-west4, or global",
                    text);
    case SettingId::kBuildServiceAccount:
      return Expect(IsEmail(text), what,
                    "an email address such as builds@p.iam.gserviceaccount.com", text);
    case SettingId::kImage:
    case SettingId::kRunnerImage:
      return Expect(IsImage(text), what, "an image such as registry.example/team/image:tag", text);
    case SettingId::kRunnerCredentials:
      return Expect(IsCredential(text), what, "metadata, secret:NAME or none", text);
    default:
      return {};
  }
}

}  // namespace kinetic::settings

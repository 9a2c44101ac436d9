#include "kinetic/profile.h"

#include "settings/check_value.h"

#include <fmt/format.h>

#include <algorithm>
#include <utility>
#include <vector>

namespace kinetic::settings {
namespace {

bool IsLower(char c) { return c >= 'a' && c <= 'z'; }
bool IsDigit(char c) { return c >= '0' && c <= '9'; }
bool IsControl(char c) { return static_cast<unsigned char>(c) < 0x20 || c == 0x7f; }

std::vector<std::string_view> SplitAt(std::string_view text, char separator) {
  std::vector<std::string_view> parts;
  for (;;) {
    const std::size_t end = text.find(separator);
    parts.push_back(text.substr(0, end));
    if (end == std::string_view::npos) return parts;
    text.remove_prefix(end + 1);
  }
}

/// Matches "gs:/bucket", "s3://bucket", "GS://bucket".
bool LooksLikeAddress(std::string_view text) {
  const std::size_t end = text.find(":/");
  return end != std::string_view::npos && end > 0 &&
         std::all_of(text.begin(), text.begin() + static_cast<std::ptrdiff_t>(end), [](char c) {
           return IsLower(c) || IsDigit(c) || (c >= 'A' && c <= 'Z') || c == '+' || c == '-';
         });
}

}  // namespace

Status CheckStoreLocation(std::string_view what, const std::string& text) {
  if (IsInBucket(text)) {
    auto checked = CheckBucketStore(text);
    if (checked) return checked;
    return Failure(std::move(checked).error().Context(what));
  }
  if (!LooksLikeAddress(text)) return {};
  return Fail(ErrorCode::kInvalidArgument,
              fmt::format("{}: expected a folder or gs://BUCKET/FOLDER, found '{}'", what, text));
}

Status CheckAddress(std::string_view what, std::string_view text, std::string_view schemes) {
  const auto allowed = SplitAt(schemes, ' ');
  std::string_view rest = text;
  bool good = true;
  if (const std::size_t end = text.find("://"); end != std::string_view::npos) {
    good = std::find(allowed.begin(), allowed.end(), text.substr(0, end)) != allowed.end();
    rest = text.substr(end + 3);
  }
  const std::string_view host = rest.substr(rest.substr(0, rest.find('/')).rfind('@') + 1);
  good = good && !host.empty() && host.front() != '/' && host.front() != ':' &&
         std::none_of(text.begin(), text.end(), [](char c) { return IsControl(c) || c == ' '; }) &&
         host.find_first_of("?#") == std::string_view::npos;
  if (good) return {};
  // Omits the text itself, because it may contain a password.
  return Fail(
      ErrorCode::kInvalidArgument,
      fmt::format("{}: expected an address, such as {}://host:port", what, allowed.front()));
}

}  // namespace kinetic::settings

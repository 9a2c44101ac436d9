#include "settings/place.h"

#include <fmt/format.h>

#include <algorithm>
#include <vector>

namespace kinetic::cli {
namespace {

constexpr std::string_view kScheme = "gs://";
constexpr std::size_t kLongestPart = 63;
constexpr std::size_t kLongestBucket = 222;
constexpr std::size_t kLongestFolder = 512;

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

/// Why it cannot be a bucket's name; empty: it can.
std::string_view BucketProblem(std::string_view bucket) {
  const auto parts = SplitAt(bucket, '.');
  if (bucket.size() < 3) return "a bucket's name has at least 3 characters";
  if (bucket.size() > kLongestBucket ||
      std::any_of(parts.begin(), parts.end(), [](auto part) { return part.size() > kLongestPart; }))
    return "a bucket's name has at most 63 characters, or 63 between two dots";
  if (!std::all_of(bucket.begin(), bucket.end(), [](char c) {
        return IsLower(c) || IsDigit(c) || c == '-' || c == '_' || c == '.';
      }))
    return "a bucket's name has lower case letters, digits, '-', '_' and '.' only";
  const auto ends_well = [](char c) { return IsLower(c) || IsDigit(c); };
  if (!std::all_of(parts.begin(), parts.end(), [&](std::string_view part) {
        return !part.empty() && ends_well(part.front()) && ends_well(part.back());
      }))
    return "a bucket's name, and each part between dots, begins and ends with a letter or digit";
  if (bucket.starts_with("goog") || bucket.find("google") != std::string_view::npos)
    return "a bucket's name neither begins with 'goog' nor contains 'google'";
  if (parts.size() == 4 && std::all_of(parts.begin(), parts.end(), [](std::string_view part) {
        return std::all_of(part.begin(), part.end(), IsDigit);
      }))
    return "a bucket's name is no IP address";
  return {};
}

std::string_view FolderProblem(std::string_view folder) {
  if (folder.size() > kLongestFolder) return "the folder in the bucket is longer than 512 bytes";
  if (std::any_of(folder.begin(), folder.end(), IsControl))
    return "the folder in the bucket has a control character";
  if (folder.find_first_of("*?[]#") != std::string_view::npos)
    return "the folder in the bucket has one of the characters * ? [ ] #";
  for (const std::string_view part : SplitAt(folder, '/'))
    if (part.empty() || part == "." || part == "..")
      return "the folder in the bucket has an empty part, '.' or '..'";
  return {};
}

/// "gs:/bucket", "s3://bucket", "GS://bucket".
bool LooksLikeAddress(std::string_view text) {
  const std::size_t end = text.find(":/");
  return end != std::string_view::npos && end > 0 &&
         std::all_of(text.begin(), text.begin() + static_cast<std::ptrdiff_t>(end), [](char c) {
           return IsLower(c) || IsDigit(c) || (c >= 'A' && c <= 'Z') || c == '+' || c == '-';
         });
}

}  // namespace

bool IsBucketPlace(std::string_view text) { return text.starts_with(kScheme); }

Status CheckPlace(std::string_view what, const std::string& text) {
  if (!IsBucketPlace(text)) {
    if (!LooksLikeAddress(text)) return {};
    return Fail(ErrorCode::kInvalidArgument,
                fmt::format("{}: expected a folder or gs://BUCKET/FOLDER, found '{}'", what, text));
  }
  std::string_view rest = std::string_view(text).substr(kScheme.size());
  const std::size_t slash = std::min(rest.find('/'), rest.size());
  std::string_view problem = BucketProblem(rest.substr(0, slash));
  std::string_view folder = rest.substr(std::min(slash + 1, rest.size()));
  const bool has_folder = !folder.empty();
  if (folder.ends_with('/')) folder.remove_suffix(1);
  if (problem.empty() && has_folder) problem = FolderProblem(folder);
  if (problem.empty()) return {};
  return Fail(ErrorCode::kInvalidArgument, fmt::format("{}: '{}' cannot be a store", what, text),
              std::string(problem));
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
  // Not with what was found: a password may be in it.
  return Fail(
      ErrorCode::kInvalidArgument,
      fmt::format("{}: expected an address, such as {}://host:port", what, allowed.front()));
}

}  // namespace kinetic::cli

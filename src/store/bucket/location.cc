#include "store/bucket/location.h"

#include "kinetic/try.h"

#include "base/strings.h"
#include "store/object.h"

#include <algorithm>

namespace kinetic::store {
namespace {

constexpr std::string_view kScheme = "gs://";
constexpr std::size_t kMinBytes = 3;
constexpr std::size_t kMaxPartBytes = 63;
constexpr std::size_t kMaxBytes = 222;
/// Leaves room for the longest name of an object after the prefix.
constexpr std::size_t kMaxPrefixBytes = 512;

bool IsDigit(char c) { return c >= '0' && c <= '9'; }
bool IsLetterOrDigit(char c) { return (c >= 'a' && c <= 'z') || IsDigit(c); }
bool IsBucketCharacter(char c) { return IsLetterOrDigit(c) || c == '-' || c == '_' || c == '.'; }

bool AreAll(std::string_view text, bool (*is)(char)) {
  return std::all_of(text.begin(), text.end(), is);
}

/// Returns why a bucket's name is invalid, or an empty string if it is valid.
std::string_view BucketNameProblem(std::string_view bucket) {
  if (bucket.empty()) return "the bucket's name is missing";
  if (!AreAll(bucket, IsBucketCharacter)) {
    return "a bucket's name may only contain a-z, 0-9, '-', '_' and '.'";
  }
  const auto parts = Split(bucket, '.');
  const auto any = [&](auto is) { return std::any_of(parts.begin(), parts.end(), is); };
  if (bucket.size() < kMinBytes || bucket.size() > kMaxBytes ||
      any([](std::string_view part) { return part.size() > kMaxPartBytes; })) {
    return "a bucket's name must have 3 to 63 characters, or up to 222 if it contains dots";
  }
  if (any([](std::string_view part) {
        return part.empty() || !IsLetterOrDigit(part.front()) || !IsLetterOrDigit(part.back());
      })) {
    return "a bucket's name, and each part between dots, must begin and end with a letter or a "
           "digit";
  }
  if (bucket.starts_with("goog") || bucket.find("google") != std::string_view::npos) {
    return "a bucket's name must not begin with 'goog' or contain 'google'";
  }
  if (parts.size() == 4 && !any([](std::string_view part) { return !AreAll(part, IsDigit); })) {
    return "a bucket's name must not be an IP address";
  }
  return {};
}

/// Returns why a folder's name is invalid, or an empty string if it is valid.
std::string FolderNameProblem(std::string_view folder) {
  if (folder.size() > kMaxPrefixBytes) return "the folder's name is longer than 512 bytes";
  if (folder.find_first_of("*?[]#") != std::string_view::npos) {
    return "the folder's name contains one of * ? [ ] #, which tools interpret as patterns";
  }
  const auto checked = CheckName(folder);
  return checked ? "" : checked.error().message;
}

}  // namespace

bool IsBucketLocation(std::string_view location) { return location.starts_with(kScheme); }

Result<BucketLocation> ParseBucketLocation(std::string_view location) {
  const auto refuse = [&](std::string_view problem) {
    return Fail(ErrorCode::kInvalidArgument,
                "'" + Printable(location) + "' is not a valid store: " + std::string(problem),
                "write gs://BUCKET or gs://BUCKET/FOLDER");
  };
  if (!IsBucketLocation(location)) return refuse("it does not begin with gs://");
  std::string_view rest = location.substr(kScheme.size());
  const std::size_t slash = std::min(rest.find('/'), rest.size());
  BucketLocation parsed{std::string(rest.substr(0, slash)), {}};
  if (const auto problem = BucketNameProblem(parsed.bucket); !problem.empty())
    return refuse(problem);
  rest.remove_prefix(std::min(slash + 1, rest.size()));
  if (rest.empty()) return parsed;
  if (rest.ends_with('/')) rest.remove_suffix(1);
  if (const auto problem = FolderNameProblem(rest); !problem.empty()) return refuse(problem);
  parsed.prefix = std::string(rest) + "/";
  return parsed;
}

}  // namespace kinetic::store

#include "store/bucket_location.h"

#include "base/strings.h"
#include "base/try.h"
#include "store/name.h"

#include <algorithm>

namespace kinetic::store {
namespace {

constexpr std::string_view kScheme = "gs://";
constexpr std::size_t kLeast = 3;
constexpr std::size_t kMostOfPart = 63;
constexpr std::size_t kMost = 222;
/// Room for the longest name that a job's own objects have, behind the prefix.
constexpr std::size_t kPrefixBytes = 512;

bool IsDigit(char c) { return c >= '0' && c <= '9'; }
bool IsLetterOrDigit(char c) { return (c >= 'a' && c <= 'z') || IsDigit(c); }
bool IsBucketCharacter(char c) { return IsLetterOrDigit(c) || c == '-' || c == '_' || c == '.'; }

bool AreAll(std::string_view text, bool (*is)(char)) {
  return std::all_of(text.begin(), text.end(), is);
}

/// Why no bucket can have the name; empty when one can.
std::string_view ProblemOfBucket(std::string_view bucket) {
  if (bucket.empty()) return "names no bucket";
  if (!AreAll(bucket, IsBucketCharacter)) {
    return "a bucket's name is of a-z, 0-9, '-', '_' and '.'";
  }
  const auto parts = Split(bucket, '.');
  const auto any = [&](auto is) { return std::any_of(parts.begin(), parts.end(), is); };
  if (bucket.size() < kLeast || bucket.size() > kMost ||
      any([](std::string_view part) { return part.size() > kMostOfPart; })) {
    return "a bucket's name has 3 to 63 characters, or as many between two dots";
  }
  if (any([](std::string_view part) {
        return part.empty() || !IsLetterOrDigit(part.front()) || !IsLetterOrDigit(part.back());
      })) {
    return "a bucket's name, and each part between dots, begins and ends with a letter or a digit";
  }
  if (bucket.starts_with("goog") || bucket.find("google") != std::string_view::npos) {
    return "a bucket's name neither begins with 'goog' nor contains 'google'";
  }
  if (parts.size() == 4 && !any([](std::string_view part) { return !AreAll(part, IsDigit); })) {
    return "a bucket's name is no IP address";
  }
  return {};
}

/// Why no folder in a bucket can have the name; empty when one can.
std::string ProblemOfFolder(std::string_view folder) {
  if (folder.size() > kPrefixBytes) return "its folder's name is longer than 512 bytes";
  if (folder.find_first_of("*?[]#") != std::string_view::npos) {
    return "its folder's name has one of the characters * ? [ ] #, which tools take for patterns";
  }
  const auto checked = CheckName(folder);
  return checked ? "" : checked.error().message;
}

}  // namespace

bool IsBucketLocation(std::string_view location) { return location.starts_with(kScheme); }

Result<BucketLocation> ParseBucketLocation(std::string_view location) {
  const auto refuse = [&](std::string_view problem) {
    return Fail(ErrorCode::kInvalidArgument,
                "'" + Printable(location) + "' cannot be a store: " + std::string(problem),
                "name it as gs://BUCKET or gs://BUCKET/FOLDER");
  };
  if (!IsBucketLocation(location)) return refuse("does not begin with gs://");
  std::string_view rest = location.substr(kScheme.size());
  const std::size_t slash = std::min(rest.find('/'), rest.size());
  BucketLocation place{std::string(rest.substr(0, slash)), {}};
  if (const auto problem = ProblemOfBucket(place.bucket); !problem.empty()) return refuse(problem);
  rest.remove_prefix(std::min(slash + 1, rest.size()));
  if (rest.empty()) return place;
  if (rest.ends_with('/')) rest.remove_suffix(1);
  if (const auto problem = ProblemOfFolder(rest); !problem.empty()) return refuse(problem);
  place.prefix = std::string(rest) + "/";
  return place;
}

}  // namespace kinetic::store

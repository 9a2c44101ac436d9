#include "store/bucket_location.h"

#include "base/strings.h"
#include "base/try.h"
#include "store/name.h"

#include <algorithm>

namespace kinetic::store {
namespace {

constexpr std::string_view kScheme = "gs://";
constexpr std::size_t kLeast = 3;
constexpr std::size_t kMost = 63;
constexpr std::size_t kMostWithDots = 222;
/// Room for the longest name that a job's own objects have, behind the prefix.
constexpr std::size_t kPrefixBytes = 512;

bool IsLetterOrDigit(char c) { return (c >= 'a' && c <= 'z') || (c >= '0' && c <= '9'); }

bool IsBucketCharacter(char c) { return IsLetterOrDigit(c) || c == '-' || c == '_' || c == '.'; }

/// Why no bucket can have the name; empty when one can.
std::string_view ProblemOf(std::string_view bucket) {
  if (bucket.empty()) return "names no bucket";
  if (!std::all_of(bucket.begin(), bucket.end(), IsBucketCharacter)) {
    return "a bucket's name is of a-z, 0-9, '-', '_' and '.'";
  }
  const bool dots = bucket.find('.') != std::string_view::npos;
  if (bucket.size() < kLeast || bucket.size() > (dots ? kMostWithDots : kMost)) {
    return "a bucket's name has 3 to 63 characters";
  }
  if (!IsLetterOrDigit(bucket.front()) || !IsLetterOrDigit(bucket.back())) {
    return "a bucket's name begins and ends with a letter or a digit";
  }
  return {};
}

}  // namespace

bool IsBucketLocation(std::string_view location) { return location.starts_with(kScheme); }

Result<BucketLocation> ParseBucketLocation(std::string_view location) {
  const auto refuse = [&](std::string_view problem) {
    return Fail(ErrorCode::kInvalidArgument,
                "the store " + Printable(location) + ": " + std::string(problem),
                "name it as gs://BUCKET or gs://BUCKET/FOLDER");
  };
  if (!IsBucketLocation(location)) return refuse("does not begin with gs://");
  std::string_view rest = location.substr(kScheme.size());
  const std::size_t slash = std::min(rest.find('/'), rest.size());
  BucketLocation place{std::string(rest.substr(0, slash)), {}};
  if (const auto problem = ProblemOf(place.bucket); !problem.empty()) return refuse(problem);
  rest.remove_prefix(std::min(slash + 1, rest.size()));
  if (rest.ends_with('/')) rest.remove_suffix(1);
  if (rest.empty()) return place;
  if (rest.size() > kPrefixBytes) return refuse("its folder's name is longer than 512 bytes");
  if (auto checked = CheckName(rest); !checked) return refuse(checked.error().message);
  place.prefix = std::string(rest) + "/";
  return place;
}

}  // namespace kinetic::store

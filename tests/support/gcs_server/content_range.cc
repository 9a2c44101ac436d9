#include "support/gcs_server/content_range.h"

#include "base/strings.h"
#include "support/gcs_server/errors.h"

namespace kinetic::gcs_server {
namespace {

/// Parses a number, or "*" as nullopt. Returns false if it is neither.
bool ReadPart(std::string_view text, std::optional<std::uint64_t>& into) {
  if (text == "*") return true;
  const auto number = ParseInt(text);
  if (!number || *number < 0) return false;
  into = static_cast<std::uint64_t>(*number);
  return true;
}

bool ReadBytes(std::string_view text, ContentRange& range) {
  if (text == "*") return true;
  const auto ends = Split(text, '-');
  std::optional<std::uint64_t> last;
  if (ends.size() != 2 || !ReadPart(ends[0], range.first) || !range.first) return false;
  if (!ReadPart(ends[1], last)) return false;
  if (last) range.end = *last + 1;
  return !last || *last >= *range.first;
}

}  // namespace

Outcome<ContentRange> ContentRangeOf(const Request& request,
                                     std::optional<std::uint64_t> body_bytes) {
  const auto header = request.headers.Get("Content-Range");
  if (!header) return ContentRange{0, body_bytes, body_bytes};
  const Reply bad = Invalid("Failed to parse Content-Range header.");
  if (!header->starts_with("bytes ")) return Refuse(bad);
  const auto halves = Split(Trim(header->substr(6)), '/');
  ContentRange range;
  if (halves.size() != 2 || !ReadBytes(halves[0], range) || !ReadPart(halves[1], range.total)) {
    return Refuse(bad);
  }
  if (range.first && !range.end && body_bytes) range.end = *range.first + *body_bytes;
  if (range.total && range.end && *range.end > *range.total) return Refuse(bad);
  const std::uint64_t said = range.first && range.end ? *range.end - *range.first : 0;
  const bool agrees = !body_bytes || *body_bytes == said;
  if (!agrees) return Refuse(Invalid("Content-Range and Content-Length do not agree."));
  return range;
}

}  // namespace kinetic::gcs_server

#include "record/log_reader.h"

#include "base/strings.h"
#include "base/try.h"
#include "record/layout.h"
#include "record/log_segment.h"

#include <fmt/format.h>

#include <algorithm>
#include <limits>
#include <optional>
#include <string>
#include <tuple>
#include <utility>
#include <vector>

namespace kinetic::record {
namespace {

struct Segment {
  std::uint32_t attempt = 0;
  std::uint64_t first = 0;
  std::string name;
  /// The records from here on are a newer attempt's.
  std::uint64_t limit = std::numeric_limits<std::uint64_t>::max();
};

/// Reads ".../attempts/{n}/{host}/log/{first}" of host 0, whose log is the job's.
std::optional<Segment> ParseName(std::string_view name, std::string_view prefix) {
  const auto parts = Split(name.substr(prefix.size()), '/');
  if (parts.size() != 4 || parts[1] != "0" || parts[2] != "log") return std::nullopt;
  const auto attempt = ParseInt(parts[0]);
  const auto first = ParseInt(parts[3]);
  if (!attempt || *attempt < 0 || *attempt > std::numeric_limits<std::uint32_t>::max() || !first ||
      *first < 0) {
    return std::nullopt;
  }
  Segment segment;
  segment.attempt = static_cast<std::uint32_t>(*attempt);
  segment.first = static_cast<std::uint64_t>(*first);
  segment.name = name;
  return segment;
}

/// In order of attempt and place, each with its limit.
Result<std::vector<Segment>> FindSegments(store::Store& store, std::string_view id,
                                          const std::stop_token& stop) {
  const std::string prefix = JobFolder(id) + "attempts/";
  std::vector<Segment> segments;
  const auto take = [&](const store::ObjectInfo& info) -> Result<bool> {
    if (auto segment = ParseName(info.name, prefix)) segments.push_back(*std::move(segment));
    return true;
  };
  KINETIC_RETURN_IF_ERROR(store.List(prefix, "", take, stop));
  std::sort(segments.begin(), segments.end(), [](const Segment& a, const Segment& b) {
    return std::tie(a.attempt, a.first) < std::tie(b.attempt, b.first);
  });
  std::uint64_t limit = std::numeric_limits<std::uint64_t>::max();
  std::uint64_t first_of_attempt = limit;
  for (std::size_t i = segments.size(); i-- > 0;) {
    if (i + 1 < segments.size() && segments[i].attempt != segments[i + 1].attempt) {
      limit = std::min(limit, first_of_attempt);
    }
    segments[i].limit = limit;
    first_of_attempt = segments[i].first;
  }
  return segments;
}

/// Whether all records of `segment` come before `sequence`, as the one after it shows.
bool EndsBefore(const Segment& segment, const Segment* next, std::uint64_t sequence) {
  if (segment.limit <= sequence) return true;
  return next != nullptr && next->attempt == segment.attempt && next->first <= sequence;
}

class Reading {
 public:
  Reading(store::Store& store, std::uint64_t from, const LogReader& each)
      : store_(store), each_(each) {
    position_.next_sequence = from;
  }

  Status Read(const Segment& segment, const std::stop_token& stop) {
    KINETIC_ASSIGN_OR_RETURN(const auto sealed, store::GetBytes(store_, segment.name, stop));
    if (!sealed) return {};  // the job is being removed
    auto plain = Unseal(*sealed);
    if (!plain) return Failure(std::move(plain).error().Context(segment.name));
    SegmentParser parser;
    std::optional<Error> passed_on;
    bool is_first = true;
    const auto pass = [&](const LogRecord& record) -> Status {
      if (std::exchange(is_first, false) &&
          (record.sequence != segment.first || record.attempt != segment.attempt)) {
        return Fail(ErrorCode::kDataLoss,
                    fmt::format("it holds attempt {} from record {} on, not what its name says",
                                record.attempt, record.sequence));
      }
      auto passed = Pass(record, segment.limit);
      if (!passed) passed_on = passed.error();
      return passed;
    };
    auto parsed = parser.Feed(*plain, pass);
    if (passed_on) return Failure(*std::move(passed_on));
    if (!parsed) return Failure(std::move(parsed).error().Context(segment.name));
    if (!parser.AtBoundary()) {
      return Fail(ErrorCode::kDataLoss, segment.name + ": ends in the middle of a record");
    }
    return {};
  }

  const LogPosition& position() const { return position_; }

 private:
  Status Pass(const LogRecord& record, std::uint64_t limit) {
    if (record.sequence < position_.next_sequence || record.sequence >= limit) return {};
    position_.missing += record.sequence - position_.next_sequence;
    position_.next_sequence = record.sequence + 1;
    position_.attempt = record.attempt;
    return each_(record);
  }

  store::Store& store_;
  const LogReader& each_;
  LogPosition position_;
};

}  // namespace

Result<LogPosition> ReadStoredLog(store::Store& store, std::string_view id,
                                  std::uint64_t from_sequence, const LogReader& each,
                                  std::stop_token stop) {
  KINETIC_ASSIGN_OR_RETURN(const auto segments, FindSegments(store, id, stop));
  Reading reading(store, from_sequence, each);
  for (std::size_t i = 0; i < segments.size(); ++i) {
    const Segment* next = i + 1 < segments.size() ? &segments[i + 1] : nullptr;
    if (EndsBefore(segments[i], next, from_sequence)) continue;
    KINETIC_RETURN_IF_ERROR(reading.Read(segments[i], stop));
  }
  return reading.position();
}

}  // namespace kinetic::record

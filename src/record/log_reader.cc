#include "record/log_reader.h"

#include "base/try.h"
#include "record/log_segment.h"
#include "record/sealed_segment.h"

#include <fmt/format.h>

#include <algorithm>
#include <utility>

namespace kinetic::record {
namespace {

/// Whoever moves objects about faster than this many listings is not there.
constexpr int kListings = 20;

Failure Damaged(std::string_view problem) {
  return Fail(ErrorCode::kDataLoss, std::string(problem));
}

/// The segments of one object, as its bytes come in: each goes on where the one before ended.
class ObjectParser {
 public:
  ObjectParser(std::uint32_t attempt, std::uint64_t first) : attempt_(attempt), next_(first) {}

  Status Feed(std::string_view sealed, const LogReader& each) {
    const auto parse = [&](std::string& plain) { return Parse(plain, each); };
    return unsealer_.Feed(sealed, parse);
  }

  bool AtEnd() const { return unsealer_.AtEnd(); }
  std::uint64_t next() const { return next_; }
  /// The error of `each`, which is not one of the object.
  const std::optional<Error>& passed_on() const { return passed_on_; }

 private:
  Status Parse(std::string_view plain, const LogReader& each) {
    SegmentParser parser;
    const auto pass = [&](const LogRecord& record) -> Status {
      if (record.sequence != next_ || record.attempt != attempt_) {
        return Damaged(
            fmt::format("it holds attempt {} from record {} on, not attempt {} from record {} on",
                        record.attempt, record.sequence, attempt_, next_));
      }
      auto passed = each(record);
      if (!passed) passed_on_ = passed.error();
      ++next_;
      return passed;
    };
    KINETIC_RETURN_IF_ERROR(parser.Feed(plain, pass));
    if (!parser.AtBoundary()) return Damaged("it ends in the middle of a record");
    return {};
  }

  const std::uint32_t attempt_;
  std::uint64_t next_;
  Unsealer unsealer_;
  std::optional<Error> passed_on_;
};

/// An object that does not say where it ends goes no further than where the next one begins.
bool IsPassed(const LogObject& object, const LogObject* later, std::uint64_t sequence) {
  if (object.EndsBefore(sequence) || object.first >= object.limit) return true;
  return !object.next && later != nullptr && later->attempt == object.attempt &&
         later->first <= sequence;
}

}  // namespace

Status StoredLog::Pass(const LogRecord& record, std::uint64_t limit, const LogReader& each) {
  if (record.sequence < position_.next_sequence || record.sequence >= limit) return {};
  position_.next_sequence = record.sequence + 1;
  position_.attempt = record.attempt;
  return each(record);
}

void StoredLog::SkipTo(std::uint64_t sequence) {
  position_.next_sequence = std::max(position_.next_sequence, sequence);
}

/// False: it is not there any more.
Result<bool> StoredLog::ReadObject(const LogObject& object, const LogReader& each,
                                   const std::stop_token& stop) {
  const std::string& name = object.info.name;
  const bool goes_on = name == last_name_;
  const std::uint64_t offset = goes_on ? last_bytes_ : 0;
  if (goes_on && object.info.size_bytes <= offset) return true;
  std::uint64_t bytes = offset;
  ObjectParser parser(object.attempt, goes_on ? last_next_ : object.first);
  const LogReader pass = [&](const LogRecord& record) { return Pass(record, object.limit, each); };
  std::optional<Error> damage;
  const auto take = [&](std::string_view piece) -> Status {
    bytes += piece.size();
    auto fed = parser.Feed(piece, pass);
    if (!fed && !parser.passed_on()) damage = fed.error();
    return fed;
  };
  const auto got = store_.Get(name, {.offset = offset, .length = {}}, take, stop);
  if (parser.passed_on()) return Failure(*parser.passed_on());
  if (damage) return Failure(std::move(*damage).Context(name));
  if (!got) return Failure(got.error());
  if (!*got) return false;
  if (!parser.AtEnd() || (object.next && parser.next() < *object.next)) {
    return Fail(ErrorCode::kDataLoss, name + ": ends too early");
  }
  last_name_ = name;
  last_bytes_ = bytes;
  last_next_ = parser.next();
  return true;
}

Result<StoredLog::Halt> StoredLog::ReadObjects(const LogListing& listing, const LogReader& each,
                                               const std::stop_token& stop) {
  for (std::size_t i = 0; i < listing.objects.size(); ++i) {
    const LogObject& object = listing.objects[i];
    const LogObject* later = i + 1 < listing.objects.size() ? &listing.objects[i + 1] : nullptr;
    if (IsPassed(object, later, position_.next_sequence)) continue;
    if (object.first > position_.next_sequence) {
      gap_ = Gap{position_.next_sequence, object.first};
      return Halt::kGap;
    }
    KINETIC_ASSIGN_OR_RETURN(const bool there, ReadObject(object, each, stop));
    if (!there) return Halt::kGone;
  }
  return Halt::kNo;
}

Status StoredLog::Read(const LogReader& each, const GapReader& gap, const std::stop_token& stop) {
  std::optional<Gap> seen;
  for (int fruitless = 0; fruitless < kListings; ++fruitless) {
    const std::uint64_t before = position_.next_sequence;
    KINETIC_ASSIGN_OR_RETURN(const LogListing listing, ListLog(store_, id_, stop));
    for (;;) {
      KINETIC_ASSIGN_OR_RETURN(const Halt halt, ReadObjects(listing, each, stop));
      if (halt == Halt::kNo) {
        position_.exists = listing.exists;
        position_.ended = listing.ended;
        return {};
      }
      // A listing that was made while segments were joined may lack both the parts and the whole.
      if (halt == Halt::kGone || seen != gap_) break;
      position_.missing += gap_->to - gap_->from;
      position_.next_sequence = gap_->to;
      if (gap) KINETIC_RETURN_IF_ERROR(gap(gap_->to - gap_->from));
    }
    seen = gap_;
    if (position_.next_sequence != before) fruitless = 0;
  }
  return Fail(ErrorCode::kAborted, "reading the log of job " + id_ + ": it is being removed",
              "run the same command again");
}

Result<LogPosition> ReadStoredLog(store::Store& store, std::string_view id,
                                  std::uint64_t from_sequence, const LogReader& each,
                                  std::stop_token stop) {
  StoredLog log(store, id, from_sequence);
  KINETIC_RETURN_IF_ERROR(log.Read(each, {}, stop));
  return log.position();
}

Result<std::uint64_t> StoredRecords(store::Store& store, std::string_view id,
                                    const std::stop_token& stop) {
  KINETIC_ASSIGN_OR_RETURN(const auto listing, ListLog(store, id, stop));
  if (listing.objects.empty()) return 0U;
  if (listing.objects.back().next) return *listing.objects.back().next;
  const auto skip = [](const LogRecord&) -> Status { return {}; };
  KINETIC_ASSIGN_OR_RETURN(const auto stored, ReadStoredLog(store, id, 0, skip, stop));
  return stored.next_sequence;
}

}  // namespace kinetic::record

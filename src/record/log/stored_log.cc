#include "record/log/stored_log.h"

#include "kinetic/try.h"

#include "record/log/segment.h"

#include <fmt/format.h>

#include <algorithm>
#include <utility>

namespace kinetic::record {
namespace {

/// Limits listings without progress. Objects do not change this often unless the log is removed.
constexpr int kMaxListings = 20;

Failure Damaged(std::string_view problem) {
  return Fail(ErrorCode::kDataLoss, std::string(problem));
}

/// Parses the consecutive segments of one object, whose bytes arrive in pieces.
class ObjectParser {
 public:
  ObjectParser(std::uint32_t attempt, std::uint64_t first) : attempt_(attempt), next_(first) {}

  Status Feed(std::string_view sealed, const LogRecordSink& each) {
    const auto parse = [&](std::string& plain) { return Parse(plain, each); };
    return unsealer_.Feed(sealed, parse);
  }

  bool AtEnd() const { return unsealer_.AtEnd(); }
  std::uint64_t next() const { return next_; }
  /// Returns the error of `each`, to distinguish it from damage to the object.
  const std::optional<Error>& callback_error() const { return callback_error_; }

 private:
  Status Parse(std::string_view plain, const LogRecordSink& each) {
    SegmentParser parser;
    const auto emit = [&](const LogRecord& record) -> Status {
      if (record.sequence != next_ || record.attempt != attempt_) {
        return Damaged(
            fmt::format("found record {1} of attempt {0}, expected record {3} of attempt {2}",
                        record.attempt, record.sequence, attempt_, next_));
      }
      auto status = each(record);
      if (!status) callback_error_ = status.error();
      ++next_;
      return status;
    };
    KINETIC_RETURN_IF_ERROR(parser.Feed(plain, emit));
    if (!parser.AtBoundary()) return Damaged("ends in the middle of a record");
    return {};
  }

  const std::uint32_t attempt_;
  std::uint64_t next_;
  Unsealer unsealer_;
  std::optional<Error> callback_error_;
};

/// Returns whether all records of an object precede `sequence`. An object without a recorded end
/// ends where the next object of its attempt begins.
bool IsBefore(const LogObject& object, const LogObject* later, std::uint64_t sequence) {
  if (object.EndsBefore(sequence) || object.first >= object.limit) return true;
  return !object.next && later != nullptr && later->attempt == object.attempt &&
         later->first <= sequence;
}

}  // namespace

Status StoredLog::Emit(const LogRecord& record, std::uint64_t limit, const LogRecordSink& each) {
  if (record.sequence < position_.next_sequence || record.sequence >= limit) return {};
  position_.next_sequence = record.sequence + 1;
  position_.attempt = record.attempt;
  return each(record);
}

void StoredLog::SkipTo(std::uint64_t sequence) {
  position_.next_sequence = std::max(position_.next_sequence, sequence);
}

/// Returns false if the object was removed.
Result<bool> StoredLog::ReadObject(const LogObject& object, const LogRecordSink& each,
                                   const std::stop_token& stop) {
  const std::string& name = object.info.name;
  const bool resumes = name == last_name_;
  const std::uint64_t offset = resumes ? last_bytes_ : 0;
  if (resumes && object.info.size_bytes <= offset) return true;
  if (!object.info.damage.empty()) return Failure(store::DamageError(object.info));
  KINETIC_RETURN_IF_ERROR(CheckOwner(name, object.owner, job_));
  std::uint64_t bytes = offset;
  ObjectParser parser(object.attempt, resumes ? last_next_ : object.first);
  const LogRecordSink emit = [&](const LogRecord& record) {
    return Emit(record, object.limit, each);
  };
  std::optional<Error> damage;
  const auto feed = [&](std::string_view piece) -> Status {
    bytes += piece.size();
    auto fed = parser.Feed(piece, emit);
    if (!fed && !parser.callback_error()) damage = fed.error();
    return fed;
  };
  const auto got = store_.Get(name, {.offset = offset, .length = {}}, feed, stop);
  if (parser.callback_error()) return Failure(*parser.callback_error());
  if (damage) return Failure(std::move(*damage).Context(name));
  if (!got) return Failure(got.error());
  if (!*got) return false;
  if (!parser.AtEnd() || (object.next && parser.next() < *object.next)) {
    return Fail(ErrorCode::kDataLoss, name + ": the object is truncated");
  }
  last_name_ = name;
  last_bytes_ = bytes;
  last_next_ = parser.next();
  return true;
}

Result<StoredLog::Stop> StoredLog::ReadObjects(const LogListing& listing, const LogRecordSink& each,
                                               const std::stop_token& stop) {
  for (std::size_t i = 0; i < listing.objects.size(); ++i) {
    const LogObject& object = listing.objects[i];
    const LogObject* later = i + 1 < listing.objects.size() ? &listing.objects[i + 1] : nullptr;
    if (IsBefore(object, later, position_.next_sequence)) continue;
    if (object.first > position_.next_sequence) {
      gap_ = Gap{position_.next_sequence, object.first};
      return Stop::kGap;
    }
    KINETIC_ASSIGN_OR_RETURN(const bool exists, ReadObject(object, each, stop));
    if (!exists) return Stop::kRemoved;
  }
  return Stop::kEnd;
}

Status StoredLog::Read(const LogRecordSink& each, const GapCallback& gap,
                       const std::stop_token& stop) {
  std::optional<Gap> seen;
  for (int fruitless = 0; fruitless < kMaxListings; ++fruitless) {
    const std::uint64_t before = position_.next_sequence;
    KINETIC_ASSIGN_OR_RETURN(const LogListing listing, ListLog(store_, job_, stop));
    for (;;) {
      KINETIC_ASSIGN_OR_RETURN(const Stop reason, ReadObjects(listing, each, stop));
      if (reason == Stop::kEnd) {
        if (listing.damaged_folder) return Failure(store::DamageError(*listing.damaged_folder));
        position_.exists = listing.exists;
        position_.ended = listing.ended;
        return {};
      }
      // A listing during a join of segments may contain neither the parts nor the joined segment,
      // so a gap counts only if the next listing shows it again.
      if (reason == Stop::kRemoved || seen != gap_) break;
      position_.missing += gap_->to - gap_->from;
      position_.next_sequence = gap_->to;
      if (gap) KINETIC_RETURN_IF_ERROR(gap(gap_->to - gap_->from));
    }
    seen = gap_;
    if (position_.next_sequence != before) fruitless = 0;
  }
  return Fail(ErrorCode::kAborted,
              "cannot read the log of job " + job_.id + ": the job is being removed",
              "run the same command again");
}

Result<LogPosition> ReadStoredLog(store::Store& store, const JobKey& job,
                                  std::uint64_t from_sequence, const LogRecordSink& each,
                                  std::stop_token stop) {
  StoredLog log(store, job, from_sequence);
  KINETIC_RETURN_IF_ERROR(log.Read(each, {}, stop));
  return log.position();
}

Result<std::uint64_t> CountLogRecords(store::Store& store, const JobKey& job,
                                      const std::stop_token& stop) {
  KINETIC_ASSIGN_OR_RETURN(const auto listing, ListLog(store, job, stop));
  if (listing.objects.empty()) return 0U;
  if (listing.objects.back().next) return *listing.objects.back().next;
  const auto skip = [](const LogRecord&) -> Status { return {}; };
  StoredLog log(store, job, 0);
  const auto read = log.Read(skip, {}, stop);
  if (!read && read.error().code != ErrorCode::kDataLoss) return Failure(read.error());
  return log.position().next_sequence;
}

}  // namespace kinetic::record

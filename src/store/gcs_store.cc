#include "store/gcs_store.h"

#include "kinetic/try.h"

#include "base/random.h"
#include "base/strings.h"
#include "base/time/clock.h"
#include "http/retry.h"
#include "store/age.h"
#include "store/bucket/location.h"
#include "store/object.h"

#include <algorithm>
#include <utility>

namespace kinetic::store {
namespace {

/// Limits attempts when other clients renew the same lease.
constexpr int kTouchAttempts = 10;

/// Limits attempts when other clients change the bucket.
constexpr int kLifecycleAttempts = 5;
constexpr http::RetryPolicy kBucketChanges{.base = std::chrono::milliseconds{1'000}};

Value LeasePatch(WallTime lease) {
  Value changes{Value::Map{}};
  changes.Set("customTime", FormatTime(lease));
  return changes;
}

Removal RemovalOf(gcs::Client::DeleteResult deletion) {
  switch (deletion) {
    case gcs::Client::DeleteResult::kDeleted:
      return Removal::kRemoved;
    case gcs::Client::DeleteResult::kAbsent:
      return Removal::kAbsent;
    case gcs::Client::DeleteResult::kPreconditionFailed:
      break;
  }
  return Removal::kChanged;
}

/// The body of a request, read from a source that must outlive it.
class SourceBody final : public http::Body {
 public:
  explicit SourceBody(Source& source) : source_(source) {}

  std::uint64_t size_bytes() const override { return source_.size_bytes(); }

  Status Rewind() override {
    piece_ = {};
    return source_.Rewind();
  }

  Result<std::size_t> Read(std::span<char> buffer) override {
    if (piece_.empty()) {
      KINETIC_ASSIGN_OR_RETURN(piece_, source_.Next());
    }
    const std::size_t count = piece_.copy(buffer.data(), buffer.size());
    piece_.remove_prefix(count);
    return count;
  }

 private:
  Source& source_;
  std::string_view piece_;  ///< the rest of the last piece
};

}  // namespace

GcsStore::GcsStore(std::shared_ptr<http::Transport> transport, Clock& clock,
                   BucketLocation location, const gcs::ClientOptions& options,
                   LargeFileOptions large)
    : transport_(std::move(transport)),
      server_clock_(*transport_, clock),
      written_clock_(clock),
      location_(std::move(location)),
      client_(server_clock_, clock, location_.bucket, options),
      large_(client_, gcs::Buckets(server_clock_, clock, options), location_, std::move(large)),
      conflicts_(clock) {}

std::string GcsStore::Location() const {
  std::string location = "gs://" + location_.bucket + "/" + location_.prefix;
  location.pop_back();
  return location;
}

ObjectInfo GcsStore::InfoOf(const gcs::Object& object) const {
  ObjectInfo info;
  info.name = object.name.substr(location_.prefix.size());
  info.size_bytes = object.size_bytes;
  info.generation = object.generation;
  info.metageneration = object.metageneration;
  // The server writes `updated`. A later custom time is from a wrong clock.
  info.lease = std::min(object.custom_time.value_or(object.updated), object.updated);
  info.metadata = object.metadata;
  info.crc32c = object.crc32c;
  info.metadata.erase(std::string(gcs::kMarkKey));
  return info;
}

std::optional<ObjectInfo> GcsStore::InfoOf(const std::optional<gcs::Object>& object) const {
  if (!object) return std::nullopt;
  return InfoOf(*object);
}

Result<WallTime> GcsStore::Now(std::stop_token stop) {
  if (const auto now = server_clock_.Now()) return *now;
  // Every response carries the time, even if the object is absent.
  KINETIC_RETURN_IF_ERROR(client_.Stat(NameInBucket(std::string(kFormatObject)), stop));
  if (const auto now = server_clock_.Now()) return *now;
  return ExactNow(std::move(stop));  // no Date header, or this machine's clock was set meanwhile
}

Result<WallTime> GcsStore::ExactNow(std::stop_token stop) {
  if (const auto now = written_clock_.Now()) return *now;
  // `kinetic gc` removes it if this process is killed.
  const std::string name = NameInBucket("leases/clock-" + RandomId());
  BytesSource nothing("");
  gcs::InsertOptions absent;
  absent.if_generation = 0;
  KINETIC_ASSIGN_OR_RETURN(const auto written, Insert(name, nothing, absent, stop));
  if (!written) return Fail(ErrorCode::kAborted, "another client stored " + Printable(name));
  (void)client_.Delete(name, {written->generation, {}}, std::move(stop));
  return written->updated;
}

Result<std::optional<gcs::Object>> GcsStore::Insert(const std::string& name, Source& source,
                                                    const gcs::InsertOptions& options,
                                                    std::stop_token stop) {
  auto stored = large_.Accepts(source, stop)
                    ? large_.Store(source, name, options, stop)
                    : client_.Insert(name, std::make_shared<SourceBody>(source), options, stop);
  if (stored && *stored) written_clock_.Advance((*stored)->updated);
  return stored;
}

Result<std::optional<ObjectInfo>> GcsStore::Put(std::string_view name, Source& source,
                                                const Precondition& precondition,
                                                const PutOptions& options, std::stop_token stop) {
  KINETIC_RETURN_IF_ERROR(CheckName(name));
  KINETIC_RETURN_IF_ERROR(CheckMetadata(name, options.metadata));
  gcs::InsertOptions insert;
  insert.if_generation =
      precondition.kind == Precondition::Kind::kAbsent ? 0 : precondition.generation;
  insert.metadata = options.metadata;
  insert.custom_time = options.lease ? options.lease : EstimatedNow();
  insert.source = source.identity();
  insert.any_creator = options.any_creator;
  const std::string object = NameInBucket(name);
  KINETIC_RETURN_IF_ERROR(conflicts_.Pause(object, stop));
  KINETIC_ASSIGN_OR_RETURN(const auto stored, Insert(object, source, insert, stop));
  conflicts_.Record(object, stored.has_value());
  const bool is_early = stored && !options.lease && insert.custom_time &&
                        IsOlder(*insert.custom_time, stored->updated, kMaxClockDifference);
  if (!is_early) return InfoOf(stored);
  // The estimate was wrong, or the upload was slow.
  KINETIC_ASSIGN_OR_RETURN(
      auto touched,
      Touch(name, {.lease = stored->updated, .generation = stored->generation}, stop));
  return touched ? touched : InfoOf(stored);
}

Result<std::optional<ReadResult>> GcsStore::Get(std::string_view name, const Range& range,
                                                const Sink& sink, std::stop_token stop) {
  KINETIC_RETURN_IF_ERROR(CheckName(name));
  gcs::ReadOptions options;
  options.offset = range.offset;
  // The end of the range must not overflow; such a length means no limit.
  if (range.length && *range.length <= ~range.offset) options.length = range.length;
  KINETIC_ASSIGN_OR_RETURN(const auto object,
                           client_.Read(NameInBucket(name), options, sink, std::move(stop)));
  if (!object) return std::nullopt;
  return ReadResult{object->size_bytes, object->generation};
}

Result<std::optional<ObjectInfo>> GcsStore::Stat(std::string_view name, std::stop_token stop) {
  KINETIC_RETURN_IF_ERROR(CheckName(name));
  KINETIC_ASSIGN_OR_RETURN(const auto object, client_.Stat(NameInBucket(name), std::move(stop)));
  return InfoOf(object);
}

Status GcsStore::List(std::string_view prefix, std::string_view start,
                      const std::function<Result<bool>(const ObjectInfo&)>& each,
                      std::stop_token stop) {
  gcs::ListOptions options;
  options.prefix = NameInBucket(prefix);
  if (!start.empty()) options.start = NameInBucket(start);
  const auto visit = [&](const gcs::Object& object) -> Result<bool> {
    const ObjectInfo info = InfoOf(object);
    return CheckName(info.name) ? each(info) : Result<bool>(true);
  };
  return client_.List(options, visit, nullptr, std::move(stop));
}

Result<std::optional<ObjectInfo>> GcsStore::Touch(std::string_view name,
                                                  const TouchOptions& options,
                                                  std::stop_token stop) {
  KINETIC_RETURN_IF_ERROR(CheckName(name));
  const std::string object = NameInBucket(name);
  WallTime lease;
  if (const auto known = options.lease ? options.lease : EstimatedNow()) {
    lease = *known;
  } else {
    KINETIC_ASSIGN_OR_RETURN(lease, Now(stop));
  }
  for (int attempt = 1;; ++attempt) {
    KINETIC_RETURN_IF_ERROR(conflicts_.Pause(object, stop));
    auto patched = client_.Patch(object, LeasePatch(lease), {options.generation, {}}, stop);
    conflicts_.Record(object, patched && (*patched || !options.generation));
    if (patched && *patched) written_clock_.Advance((*patched)->updated);
    const bool is_early = patched && *patched && !options.lease &&
                          IsOlder(lease, (*patched)->updated, kMaxClockDifference);
    if (patched && !is_early) return InfoOf(*patched);
    if (is_early) {  // the estimate was wrong
      lease = (*patched)->updated;
      continue;
    }
    if (patched.error().code != ErrorCode::kInvalidArgument || attempt == kTouchAttempts) {
      return Failure(std::move(patched).error());
    }
    // A custom time cannot decrease. Setting the current one still changes the metageneration.
    KINETIC_ASSIGN_OR_RETURN(const auto current, client_.Stat(object, stop));
    if (!current || !current->custom_time || *current->custom_time <= lease) {
      return Failure(std::move(patched).error());
    }
    lease = *current->custom_time;
  }
}

Result<Removal> GcsStore::RemoveIfUnchanged(const ObjectInfo& seen, std::stop_token stop) {
  KINETIC_RETURN_IF_ERROR(CheckName(seen.name));
  const std::string object = NameInBucket(seen.name);
  KINETIC_RETURN_IF_ERROR(conflicts_.Pause(object, stop));
  KINETIC_ASSIGN_OR_RETURN(
      const auto deletion,
      client_.Delete(object, {seen.generation, seen.metageneration}, std::move(stop)));
  conflicts_.Record(object, deletion != gcs::Client::DeleteResult::kPreconditionFailed);
  return RemovalOf(deletion);
}

Result<std::vector<Removal>> GcsStore::RemoveAll(const std::vector<ObjectInfo>& seen,
                                                 std::stop_token stop) {
  if (seen.size() < 2) return Store::RemoveAll(seen, std::move(stop));
  std::vector<gcs::DeleteRequest> requests;
  for (const ObjectInfo& info : seen) {
    KINETIC_RETURN_IF_ERROR(CheckName(info.name));
    requests.push_back({NameInBucket(info.name), {info.generation, info.metageneration}});
  }
  KINETIC_ASSIGN_OR_RETURN(const auto deletions, client_.DeleteAll(requests, std::move(stop)));
  std::vector<Removal> removals;
  for (const auto deletion : deletions) removals.push_back(RemovalOf(deletion));
  return removals;
}

Result<std::uint64_t> GcsStore::RemoveLeftovers(std::stop_token stop) {
  KINETIC_ASSIGN_OR_RETURN(const WallTime now, ExactNow(stop));
  return large_.RemoveLeftovers(now - kLeftoverAge, std::move(stop));
}

Status EnsureLifecycleRules(const gcs::Buckets& buckets, Clock& clock,
                            const BucketLocation& location, std::stop_token stop) {
  for (int attempt = 1; attempt <= kLifecycleAttempts; ++attempt) {
    KINETIC_ASSIGN_OR_RETURN(const auto bucket, buckets.Get(location.bucket, stop));
    if (!bucket) {
      return Fail(ErrorCode::kNotFound, "the bucket gs://" + location.bucket + " does not exist");
    }
    const std::vector<Value> rules = MergeLifecycleRules(bucket->lifecycle, location.prefix);
    if (rules == bucket->lifecycle) return {};
    KINETIC_ASSIGN_OR_RETURN(const auto changed, buckets.SetLifecycle(*bucket, rules, stop));
    if (changed) return {};
    KINETIC_RETURN_IF_ERROR(
        clock.Sleep(http::BackoffDelay(kBucketChanges, attempt, std::nullopt), stop));
  }
  return Fail(ErrorCode::kAborted, "cannot change the bucket gs://" + location.bucket +
                                       ": another client keeps changing it");
}

}  // namespace kinetic::store

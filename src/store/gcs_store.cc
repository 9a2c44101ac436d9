#include "store/gcs_store.h"

#include "base/strings.h"
#include "base/time.h"
#include "base/try.h"
#include "store/name.h"
#include "store/source_body.h"

#include <utility>

namespace kinetic::store {
namespace {

/// How often others may move a lease on while it is being moved.
constexpr int kTouchAttempts = 10;

/// How old a part is when nobody can be about to use it.
constexpr std::chrono::hours kLeftoverAge{24};

Value WithLease(WallTime lease) {
  Value changes{Value::Map{}};
  changes.Set("customTime", FormatTime(lease));
  return changes;
}

}  // namespace

GcsStore::GcsStore(std::shared_ptr<http::Transport> transport, Clock& clock, BucketLocation place,
                   const gcs::ClientOptions& options, LargeFileOptions large)
    : transport_(std::move(transport)),
      server_clock_(*transport_, clock),
      place_(std::move(place)),
      client_(server_clock_, clock, place_.bucket, options),
      large_(client_, gcs::Buckets(server_clock_, clock, options), place_, std::move(large)) {}

std::string GcsStore::Location() const {
  std::string location = "gs://" + place_.bucket + "/" + place_.prefix;
  location.pop_back();
  return location;
}

ObjectInfo GcsStore::InfoOf(const gcs::Object& object) const {
  ObjectInfo info;
  info.name = object.name.substr(place_.prefix.size());
  info.size_bytes = object.size_bytes;
  info.generation = object.generation;
  info.metageneration = object.metageneration;
  info.lease = object.custom_time.value_or(object.updated);
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
  // Any answer will do, that there is no such object too.
  KINETIC_RETURN_IF_ERROR(client_.Stat(NameInBucket("format.json"), std::move(stop)));
  if (const auto now = server_clock_.Now()) return *now;
  return Fail(ErrorCode::kInternal, "the servers of " + Location() + " do not say what time it is");
}

Result<std::optional<gcs::Object>> GcsStore::Insert(const std::string& name, Source& source,
                                                    const gcs::InsertOptions& options,
                                                    std::stop_token stop) {
  if (large_.Takes(source, stop)) return large_.Store(source, name, options, std::move(stop));
  return client_.Insert(name, std::make_shared<SourceBody>(source), options, std::move(stop));
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
  insert.custom_time = options.lease;
  if (!insert.custom_time) {
    KINETIC_ASSIGN_OR_RETURN(insert.custom_time, Now(stop));
  }
  insert.source = source.identity();
  KINETIC_ASSIGN_OR_RETURN(const auto stored, Insert(NameInBucket(name), source, insert, stop));
  return InfoOf(stored);
}

Result<std::optional<ReadObject>> GcsStore::Get(std::string_view name, const Range& range,
                                                const Sink& sink, std::stop_token stop) {
  KINETIC_RETURN_IF_ERROR(CheckName(name));
  gcs::ReadOptions options;
  options.offset = range.offset;
  // A length that goes beyond every object is none.
  if (range.length && *range.length <= ~range.offset) options.length = range.length;
  KINETIC_ASSIGN_OR_RETURN(const auto object,
                           client_.Read(NameInBucket(name), options, sink, std::move(stop)));
  if (!object) return std::nullopt;
  return ReadObject{object->size_bytes, object->generation};
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
  const auto pass_on = [&](const gcs::Object& object) -> Result<bool> {
    const ObjectInfo info = InfoOf(object);
    return CheckName(info.name) ? each(info) : Result<bool>(true);
  };
  return client_.List(options, pass_on, nullptr, std::move(stop));
}

Result<std::optional<ObjectInfo>> GcsStore::Touch(std::string_view name,
                                                  const TouchOptions& options,
                                                  std::stop_token stop) {
  KINETIC_RETURN_IF_ERROR(CheckName(name));
  const std::string object = NameInBucket(name);
  WallTime lease;
  if (options.lease) {
    lease = *options.lease;
  } else {
    KINETIC_ASSIGN_OR_RETURN(lease, Now(stop));
  }
  for (int attempt = 1;; ++attempt) {
    auto patched = client_.Patch(object, WithLease(lease), {options.generation, {}}, stop);
    if (patched) return InfoOf(*patched);
    if (patched.error().code != ErrorCode::kInvalidArgument || attempt == kTouchAttempts) {
      return Failure(std::move(patched).error());
    }
    // A custom time cannot go back; setting the one that is there still shows that somebody came.
    KINETIC_ASSIGN_OR_RETURN(const auto there, client_.Stat(object, stop));
    if (!there || !there->custom_time || *there->custom_time <= lease) {
      return Failure(std::move(patched).error());
    }
    lease = *there->custom_time;
  }
}

Result<Removal> GcsStore::RemoveIfUnchanged(const ObjectInfo& seen, std::stop_token stop) {
  KINETIC_RETURN_IF_ERROR(CheckName(seen.name));
  KINETIC_ASSIGN_OR_RETURN(const auto deletion,
                           client_.Delete(NameInBucket(seen.name),
                                          {seen.generation, seen.metageneration}, std::move(stop)));
  switch (deletion) {
    case gcs::Client::Deletion::kDeleted:
      return Removal::kRemoved;
    case gcs::Client::Deletion::kAbsent:
      return Removal::kAbsent;
    case gcs::Client::Deletion::kChanged:
      break;
  }
  return Removal::kChanged;
}

Result<std::uint64_t> GcsStore::RemoveLeftovers(std::stop_token stop) {
  KINETIC_ASSIGN_OR_RETURN(const WallTime now, Now(stop));
  return large_.RemoveLeftovers(now - kLeftoverAge, std::move(stop));
}

}  // namespace kinetic::store

#include "store/object_store.h"

#include "kinetic/try.h"

#include "base/concurrency/parallel.h"
#include "base/strings.h"
#include "store/age.h"

#include <algorithm>
#include <chrono>
#include <utility>

namespace kinetic::store {
namespace {

/// Garbage collection ignores an object whose lease is younger than this for at least another day.
constexpr std::chrono::hours kFreshLease{24 * 6};

constexpr std::size_t kRemovals = 8;

Status RenewLease(Store& store, const ObjectInfo& object, const std::stop_token& stop) {
  KINETIC_ASSIGN_OR_RETURN(const WallTime now, store.Now(stop));
  if (IsFresh(object.lease, now, kFreshLease)) return {};
  KINETIC_RETURN_IF_ERROR(store.Touch(object.name, {}, stop));
  return {};
}

}  // namespace

Result<std::vector<Removal>> Store::RemoveAll(const std::vector<ObjectInfo>& seen,
                                              std::stop_token stop) {
  std::vector<Removal> removals(seen.size());
  KINETIC_RETURN_IF_ERROR(
      ParallelFor(std::min(kRemovals, seen.size()), seen.size(), std::move(stop),
                  [&](std::size_t i, const std::stop_token& stopping) -> Status {
                    KINETIC_ASSIGN_OR_RETURN(removals[i], RemoveIfUnchanged(seen[i], stopping));
                    return {};
                  }));
  return removals;
}

Result<std::optional<std::string>> GetBytes(Store& store, std::string_view name,
                                            std::stop_token stop, std::uint64_t limit_bytes) {
  std::string bytes;
  const auto append = [&](std::string_view piece) -> Status {
    if (piece.size() > limit_bytes - bytes.size()) {
      return Fail(ErrorCode::kDataLoss, "cannot read " + Printable(name) +
                                            ": larger than the limit of " +
                                            std::to_string(limit_bytes) + " bytes");
    }
    bytes += piece;
    return {};
  };
  KINETIC_ASSIGN_OR_RETURN(const auto read, store.Get(name, {}, append, stop));
  if (!read) return std::nullopt;
  return bytes;
}

Result<std::optional<std::string>> GetAndRenew(Store& store, std::string_view name,
                                               std::uint64_t limit_bytes, std::stop_token stop) {
  std::optional<std::string> bytes;
  std::optional<ObjectInfo> info;
  constexpr std::size_t kRequests = 2;
  const auto request = [&](std::size_t i, const std::stop_token& stopping) -> Status {
    if (i == 0) {
      KINETIC_ASSIGN_OR_RETURN(bytes, GetBytes(store, name, stopping, limit_bytes));
    } else {
      KINETIC_ASSIGN_OR_RETURN(info, store.Stat(name, stopping));
    }
    return {};
  };
  KINETIC_RETURN_IF_ERROR(ParallelFor(kRequests, kRequests, stop, request));
  if (bytes && info) KINETIC_RETURN_IF_ERROR(RenewLease(store, *info, stop));
  return bytes;
}

Result<std::optional<ObjectInfo>> StatAndRenew(Store& store, std::string_view name,
                                               std::stop_token stop) {
  KINETIC_ASSIGN_OR_RETURN(auto info, store.Stat(name, stop));
  if (!info || !info->damage.empty()) return std::nullopt;
  KINETIC_ASSIGN_OR_RETURN(const WallTime now, store.Now(stop));
  if (IsFresh(info->lease, now, kFreshLease)) return info;
  return store.Touch(name, {}, std::move(stop));
}

Result<std::optional<ObjectInfo>> PutBytes(Store& store, std::string_view name,
                                           std::string_view bytes, const Precondition& precondition,
                                           std::stop_token stop, const Metadata& metadata,
                                           bool is_durable) {
  BytesSource source(bytes);
  const PutOptions options{.metadata = metadata, .lease = {}, .is_durable = is_durable};
  return store.Put(name, source, precondition, options, stop);
}

Status Overwrite(Store& store, std::string_view name, std::string_view bytes, std::stop_token stop,
                 const Metadata& metadata) {
  constexpr int kAttempts = 20;  // more failures mean that the object has another writer after all
  for (int attempt = 0; attempt < kAttempts; ++attempt) {
    KINETIC_ASSIGN_OR_RETURN(const auto existing, store.Stat(name, stop));
    const auto precondition =
        existing ? Precondition::Generation(existing->generation) : Precondition::Absent();
    KINETIC_ASSIGN_OR_RETURN(const auto stored,
                             PutBytes(store, name, bytes, precondition, stop, metadata));
    if (stored) return {};
  }
  return Fail(ErrorCode::kAborted,
              "cannot store " + Printable(name) + ": another process keeps changing it",
              "run the same command again");
}

Result<std::vector<ObjectInfo>> ListAll(Store& store, std::string_view prefix,
                                        std::stop_token stop) {
  std::vector<ObjectInfo> found;
  const auto take = [&](const ObjectInfo& info) -> Result<bool> {
    found.push_back(info);
    return true;
  };
  KINETIC_RETURN_IF_ERROR(store.List(prefix, "", take, std::move(stop)));
  return found;
}

Status RemoveAllBelow(Store& store, std::string_view prefix, std::stop_token stop) {
  KINETIC_ASSIGN_OR_RETURN(const auto found, ListAll(store, prefix, stop));
  KINETIC_RETURN_IF_ERROR(store.RemoveAll(found, std::move(stop)));
  return {};
}

bool IsStoreUnavailable(const Error& error) {
  switch (error.code) {
    case ErrorCode::kUnavailable:
    case ErrorCode::kResourceExhausted:
    case ErrorCode::kDeadlineExceeded:
    case ErrorCode::kPermissionDenied:
    case ErrorCode::kUnauthenticated:
    case ErrorCode::kNotFound:
      return true;
    default:
      return false;
  }
}

}  // namespace kinetic::store

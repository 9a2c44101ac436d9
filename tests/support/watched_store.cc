#include "support/watched_store.h"

#include "kinetic/try.h"

#include "store/object.h"

#include <stdexcept>

namespace kinetic::test {

using store::ObjectInfo;

namespace {

/// Returns the value, or throws the error.
template <typename T>
T Must(Result<T> result) {
  if (!result) throw std::runtime_error(result.error().message);
  return *std::move(result);
}

}  // namespace

Status WatchedStore::Before(std::string_view operation, std::string_view name,
                            const std::stop_token& stop) {
  if (stop.stop_requested()) return Fail(ErrorCode::kCancelled, "stopped");
  if (hook_) return hook_(operation, name);
  return {};
}

void WatchedStore::Drop(std::string_view name) {
  while (const auto there = Must(below_->Stat(name, {}))) {
    if (Must(below_->RemoveIfUnchanged(*there, {})) == store::Removal::kRemoved) return;
  }
}

std::optional<std::string> WatchedStore::Peek(const std::string& name) const {
  return Must(store::GetBytes(*below_, name, {}));
}

std::map<std::string, ObjectInfo> WatchedStore::Objects() const {
  std::map<std::string, ObjectInfo> infos;
  const auto keep = [&](const ObjectInfo& info) -> Result<bool> {
    return infos.emplace(info.name, info).second;
  };
  if (const auto listed = below_->List("", "", keep, {}); !listed) {
    throw std::runtime_error(listed.error().message);
  }
  return infos;
}

Result<WallTime> WatchedStore::Now(std::stop_token stop) {
  KINETIC_RETURN_IF_ERROR(Before("now", "", stop));
  auto now = below_->Now(std::move(stop));
  return now && estimate_ ? estimate_(*now) : now;
}

Result<WallTime> WatchedStore::ExactNow(std::stop_token stop) {
  KINETIC_RETURN_IF_ERROR(Before("now", "", stop));
  return below_->ExactNow(std::move(stop));
}

Result<std::optional<ObjectInfo>> WatchedStore::Put(std::string_view name, store::Source& source,
                                                    const store::Precondition& precondition,
                                                    const store::PutOptions& options,
                                                    std::stop_token stop) {
  KINETIC_RETURN_IF_ERROR(store::CheckName(name));
  KINETIC_RETURN_IF_ERROR(store::CheckMetadata(name, options.metadata));
  KINETIC_RETURN_IF_ERROR(Before("put", name, stop));
  auto put = below_->Put(name, source, precondition, options, stop);
  if (put && *put) KINETIC_RETURN_IF_ERROR(Before("stored", name, stop));
  return put;
}

Result<std::optional<store::ReadResult>> WatchedStore::Get(std::string_view name,
                                                           const store::Range& range,
                                                           const store::Sink& sink,
                                                           std::stop_token stop) {
  KINETIC_RETURN_IF_ERROR(store::CheckName(name));
  KINETIC_RETURN_IF_ERROR(Before("get", name, stop));
  return below_->Get(name, range, sink, std::move(stop));
}

Result<std::optional<ObjectInfo>> WatchedStore::Stat(std::string_view name, std::stop_token stop) {
  KINETIC_RETURN_IF_ERROR(store::CheckName(name));
  KINETIC_RETURN_IF_ERROR(Before("stat", name, stop));
  return below_->Stat(name, std::move(stop));
}

Status WatchedStore::List(std::string_view prefix, std::string_view start,
                          const std::function<Result<bool>(const ObjectInfo&)>& each,
                          std::stop_token stop) {
  KINETIC_RETURN_IF_ERROR(Before("list", prefix, stop));
  return below_->List(prefix, start, each, std::move(stop));
}

Result<std::optional<ObjectInfo>> WatchedStore::Touch(std::string_view name,
                                                      const store::TouchOptions& options,
                                                      std::stop_token stop) {
  KINETIC_RETURN_IF_ERROR(store::CheckName(name));
  KINETIC_RETURN_IF_ERROR(Before("touch", name, stop));
  return below_->Touch(name, options, std::move(stop));
}

Result<store::Removal> WatchedStore::RemoveIfUnchanged(const ObjectInfo& seen,
                                                       std::stop_token stop) {
  KINETIC_RETURN_IF_ERROR(store::CheckName(seen.name));
  KINETIC_RETURN_IF_ERROR(Before("remove", seen.name, stop));
  return below_->RemoveIfUnchanged(seen, std::move(stop));
}

Result<std::uint64_t> WatchedStore::RemoveLeftovers(std::stop_token stop) {
  return below_->RemoveLeftovers(std::move(stop));
}

}  // namespace kinetic::test

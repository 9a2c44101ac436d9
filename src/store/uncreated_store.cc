#include "kinetic/try.h"

#include "store/lazy_store.h"

#include <utility>

namespace kinetic::store {

Result<WallTime> UncreatedStore::Now(std::stop_token stop) { return store_->Now(std::move(stop)); }

Result<WallTime> UncreatedStore::ExactNow(std::stop_token stop) {
  if (!exists_()) return SystemClock().Now();  // it has no objects
  return store_->ExactNow(std::move(stop));
}

Result<std::optional<ObjectInfo>> UncreatedStore::Put(std::string_view name, Source& source,
                                                      const Precondition& precondition,
                                                      const PutOptions& options,
                                                      std::stop_token stop) {
  {
    const std::lock_guard lock(mutex_);
    if (!is_created_) KINETIC_RETURN_IF_ERROR(create_(stop));
    is_created_ = true;
  }
  return store_->Put(name, source, precondition, options, std::move(stop));
}

Result<std::optional<ReadResult>> UncreatedStore::Get(std::string_view name, const Range& range,
                                                      const Sink& sink, std::stop_token stop) {
  if (!exists_()) return std::optional<ReadResult>();
  return store_->Get(name, range, sink, std::move(stop));
}

Result<std::optional<ObjectInfo>> UncreatedStore::Stat(std::string_view name,
                                                       std::stop_token stop) {
  if (!exists_()) return std::optional<ObjectInfo>();
  return store_->Stat(name, std::move(stop));
}

Status UncreatedStore::List(std::string_view prefix, std::string_view start,
                            const std::function<Result<bool>(const ObjectInfo&)>& each,
                            std::stop_token stop) {
  if (!exists_()) return {};
  return store_->List(prefix, start, each, std::move(stop));
}

Result<std::optional<ObjectInfo>> UncreatedStore::Touch(std::string_view name,
                                                        const TouchOptions& options,
                                                        std::stop_token stop) {
  if (!exists_()) return std::optional<ObjectInfo>();
  return store_->Touch(name, options, std::move(stop));
}

Result<Removal> UncreatedStore::RemoveIfUnchanged(const ObjectInfo& seen, std::stop_token stop) {
  if (!exists_()) return Removal::kAbsent;
  return store_->RemoveIfUnchanged(seen, std::move(stop));
}

Result<std::uint64_t> UncreatedStore::RemoveLeftovers(std::stop_token stop) {
  if (!exists_()) return std::uint64_t{0};
  return store_->RemoveLeftovers(std::move(stop));
}

}  // namespace kinetic::store

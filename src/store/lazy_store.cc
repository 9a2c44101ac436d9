#include "store/lazy_store.h"

#include "kinetic/try.h"

#include "base/concurrency/thread_failure.h"

#include <system_error>
#include <utility>

namespace kinetic::store {

LazyStore::LazyStore(std::unique_ptr<Store> store, Check check, Create create)
    : store_(std::move(store)), check_(std::move(check)), create_(std::move(create)) {
  StartCheck();
}

void LazyStore::StartCheck() {
  exists_.reset();
  const auto check = [this](std::stop_token stop) {
    Result<bool> exists = check_(*store_, std::move(stop));
    const std::lock_guard lock(mutex_);
    exists_ = std::move(exists);
    checked_.notify_all();
  };
  try {
    checker_ = std::jthread(check);
  } catch (const std::system_error& error) {
    exists_ = ThreadFailure("checking the store", error);
  }
}

void LazyStore::Begin() {
  const std::lock_guard lock(mutex_);
  if (exists_ && !*exists_) StartCheck();
}

Result<bool> LazyStore::Await(const std::stop_token& stop) {
  std::unique_lock lock(mutex_);
  checked_.wait(lock, stop, [this] { return exists_.has_value(); });
  const bool is_ready = exists_ && *exists_;
  if (!is_ready && stop.stop_requested()) return Fail(ErrorCode::kCancelled, "stopped");
  return *exists_;
}

Result<bool> LazyStore::Ready(const std::stop_token& stop) {
  Begin();
  return Await(stop);
}

Status LazyStore::EnsureExists(const std::stop_token& stop) {
  KINETIC_ASSIGN_OR_RETURN(bool exists, Ready(stop));
  if (exists) return {};
  const std::lock_guard creation(creation_);
  KINETIC_ASSIGN_OR_RETURN(exists, Await(stop));
  if (exists) return {};
  KINETIC_RETURN_IF_ERROR(create_(*store_, stop));
  const std::lock_guard lock(mutex_);
  exists_ = true;
  return {};
}

Result<WallTime> LazyStore::Now(std::stop_token stop) {
  KINETIC_RETURN_IF_ERROR(Ready(stop));
  return store_->Now(std::move(stop));
}

Result<WallTime> LazyStore::ExactNow(std::stop_token stop) {
  KINETIC_RETURN_IF_ERROR(Ready(stop));
  return store_->ExactNow(std::move(stop));
}

Result<std::optional<ObjectInfo>> LazyStore::Put(std::string_view name, Source& source,
                                                 const Precondition& precondition,
                                                 const PutOptions& options, std::stop_token stop) {
  KINETIC_RETURN_IF_ERROR(EnsureExists(stop));
  return store_->Put(name, source, precondition, options, std::move(stop));
}

Result<std::optional<ReadResult>> LazyStore::Get(std::string_view name, const Range& range,
                                                 const Sink& sink, std::stop_token stop) {
  Begin();
  const auto pass_on = [&](std::string_view piece) -> Status {
    KINETIC_RETURN_IF_ERROR(Await(stop));
    return sink(piece);
  };
  auto read = store_->Get(name, range, pass_on, stop);
  KINETIC_RETURN_IF_ERROR(Await(stop));
  return read;
}

Result<std::optional<ObjectInfo>> LazyStore::Stat(std::string_view name, std::stop_token stop) {
  Begin();
  auto info = store_->Stat(name, stop);
  KINETIC_RETURN_IF_ERROR(Await(stop));
  return info;
}

Status LazyStore::List(std::string_view prefix, std::string_view start,
                       const std::function<Result<bool>(const ObjectInfo&)>& each,
                       std::stop_token stop) {
  Begin();
  const auto pass_on = [&](const ObjectInfo& info) -> Result<bool> {
    KINETIC_RETURN_IF_ERROR(Await(stop));
    return each(info);
  };
  auto listed = store_->List(prefix, start, pass_on, stop);
  KINETIC_RETURN_IF_ERROR(Await(stop));
  return listed;
}

Result<std::optional<ObjectInfo>> LazyStore::Touch(std::string_view name,
                                                   const TouchOptions& options,
                                                   std::stop_token stop) {
  KINETIC_RETURN_IF_ERROR(Ready(stop));
  return store_->Touch(name, options, std::move(stop));
}

Result<Removal> LazyStore::RemoveIfUnchanged(const ObjectInfo& seen, std::stop_token stop) {
  KINETIC_RETURN_IF_ERROR(Ready(stop));
  return store_->RemoveIfUnchanged(seen, std::move(stop));
}

Result<std::vector<Removal>> LazyStore::RemoveAll(const std::vector<ObjectInfo>& seen,
                                                  std::stop_token stop) {
  KINETIC_RETURN_IF_ERROR(Ready(stop));
  return store_->RemoveAll(seen, std::move(stop));
}

Result<std::uint64_t> LazyStore::RemoveLeftovers(std::stop_token stop) {
  KINETIC_RETURN_IF_ERROR(Ready(stop));
  return store_->RemoveLeftovers(std::move(stop));
}

}  // namespace kinetic::store

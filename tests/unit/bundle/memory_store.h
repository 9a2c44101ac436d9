#pragma once

#include "base/try.h"
#include "store/store.h"

#include <functional>
#include <map>
#include <mutex>
#include <optional>
#include <string>
#include <vector>

namespace kinetic::test {

/// A store in memory that counts, and that can fail or damage what it is asked for.
class MemoryStore final : public store::Store {
 public:
  /// Decides about one request, counted from 0: an error, or nothing.
  using Plan = std::function<std::optional<Error>(std::uint64_t index, std::string_view operation,
                                                  std::string_view name)>;
  Plan plan;

  /// The bytes of an object, to look at or to damage.
  std::string& operator[](const std::string& name) {
    const std::lock_guard lock(mutex_);
    return objects_[name].bytes;
  }
  std::vector<std::string> Names(std::string_view prefix = {}) const {
    const std::lock_guard lock(mutex_);
    std::vector<std::string> names;
    for (const auto& [name, object] : objects_) {
      if (name.starts_with(prefix)) names.push_back(name);
    }
    return names;
  }
  void Remove(const std::string& name) {
    const std::lock_guard lock(mutex_);
    objects_.erase(name);
  }
  std::uint64_t requests() const { return requests_; }
  /// Makes everything that is there older.
  void Age(std::chrono::hours by) {
    const std::lock_guard lock(mutex_);
    for (auto& [name, object] : objects_) object.info.lease -= by;
  }

  std::string Location() const override { return "memory"; }
  Result<WallTime> Now(std::stop_token) override { return now_; }

  Result<std::optional<store::ObjectInfo>> Put(std::string_view name, store::Source& source,
                                               const store::Precondition& precondition,
                                               const store::PutOptions& options,
                                               std::stop_token) override {
    KINETIC_RETURN_IF_ERROR(Consult("put", name));
    std::string bytes;
    KINETIC_RETURN_IF_ERROR(source.Rewind());
    for (;;) {
      KINETIC_ASSIGN_OR_RETURN(const auto piece, source.Next());
      if (piece.empty()) break;
      bytes += piece;
    }
    const std::lock_guard lock(mutex_);
    const auto found = objects_.find(std::string(name));
    const bool absent = precondition.kind == store::Precondition::Kind::kAbsent;
    if (absent != (found == objects_.end())) return std::nullopt;
    if (!absent && found->second.info.generation != precondition.generation) return std::nullopt;
    Object& object = objects_[std::string(name)];
    object.info = {std::string(name), bytes.size(), ++generation_, 1, options.lease.value_or(now_),
                   options.metadata};
    object.bytes = std::move(bytes);
    return object.info;
  }

  Result<std::optional<store::ObjectInfo>> Get(std::string_view name, const store::Range& range,
                                               const store::Sink& sink, std::stop_token) override {
    KINETIC_RETURN_IF_ERROR(Consult("get", name));
    std::unique_lock lock(mutex_);
    const auto found = objects_.find(std::string(name));
    if (found == objects_.end()) return std::nullopt;
    const Object object = found->second;
    lock.unlock();
    if (range.offset < object.bytes.size()) {
      const auto length = range.length.value_or(object.bytes.size());
      KINETIC_RETURN_IF_ERROR(sink(std::string_view(object.bytes).substr(range.offset, length)));
    }
    return object.info;
  }

  Result<std::optional<store::ObjectInfo>> Stat(std::string_view name, std::stop_token) override {
    KINETIC_RETURN_IF_ERROR(Consult("stat", name));
    const std::lock_guard lock(mutex_);
    const auto found = objects_.find(std::string(name));
    if (found == objects_.end()) return std::nullopt;
    return found->second.info;
  }

  Status List(std::string_view, std::string_view,
              const std::function<Result<bool>(const store::ObjectInfo&)>&,
              std::stop_token) override {
    return Fail(ErrorCode::kUnimplemented, "listing");
  }

  Result<std::optional<store::ObjectInfo>> Touch(std::string_view name,
                                                 const store::TouchOptions& options,
                                                 std::stop_token) override {
    KINETIC_RETURN_IF_ERROR(Consult("touch", name));
    const std::lock_guard lock(mutex_);
    const auto found = objects_.find(std::string(name));
    if (found == objects_.end()) return std::nullopt;
    found->second.info.lease = options.lease.value_or(now_);
    ++found->second.info.metageneration;
    return found->second.info;
  }

  Result<store::Removal> RemoveIfUnchanged(const store::ObjectInfo&, std::stop_token) override {
    return Fail(ErrorCode::kUnimplemented, "removing");
  }

  Result<std::uint64_t> RemoveLeftovers(std::stop_token) override { return 0; }

 private:
  struct Object {
    store::ObjectInfo info;
    std::string bytes;
  };

  Status Consult(std::string_view operation, std::string_view name) {
    const std::lock_guard lock(mutex_);
    const auto index = requests_++;
    if (!plan) return {};
    if (auto error = plan(index, operation, name)) return Failure(*std::move(error));
    return {};
  }

  mutable std::mutex mutex_;
  std::map<std::string, Object> objects_;
  std::int64_t generation_ = 0;
  std::uint64_t requests_ = 0;
  const WallTime now_ = WallTime(std::chrono::hours(24 * 365 * 50));
};

}  // namespace kinetic::test

#include "support/memory_store.h"

#include "kinetic/try.h"

#include <algorithm>
#include <map>
#include <memory>
#include <mutex>
#include <string>

namespace kinetic::test {

using store::ObjectInfo;

namespace {

class Memory final : public store::Store {
 public:
  explicit Memory(Clock& clock) : clock_(clock) {}

  std::string Location() const override { return "memory"; }
  Result<WallTime> Now(std::stop_token stop) override;
  Result<WallTime> ExactNow(std::stop_token stop) override { return Now(std::move(stop)); }
  Result<std::optional<ObjectInfo>> Put(std::string_view name, store::Source& source,
                                        const store::Precondition& precondition,
                                        const store::PutOptions& options,
                                        std::stop_token stop) override;
  Result<std::optional<store::ReadResult>> Get(std::string_view name, const store::Range& range,
                                               const store::Sink& sink,
                                               std::stop_token stop) override;
  Result<std::optional<ObjectInfo>> Stat(std::string_view name, std::stop_token stop) override;
  Status List(std::string_view prefix, std::string_view start,
              const std::function<Result<bool>(const ObjectInfo&)>& each,
              std::stop_token stop) override;
  Result<std::optional<ObjectInfo>> Touch(std::string_view name, const store::TouchOptions& options,
                                          std::stop_token stop) override;
  Result<store::Removal> RemoveIfUnchanged(const ObjectInfo& seen, std::stop_token stop) override;
  Result<std::uint64_t> RemoveLeftovers(std::stop_token stop) override;

 private:
  struct Object {
    ObjectInfo info;
    std::string content;
  };

  void ClearPlace(const std::string& name);

  Clock& clock_;
  mutable std::mutex mutex_;
  std::map<std::string, Object> objects_;
  std::int64_t counter_ = 0;  ///< source of generations and metagenerations
};

Result<WallTime> Memory::Now(std::stop_token /*stop*/) { return clock_.Now(); }

/// Removes the objects for which the name would be both a file and a folder, as a folder does.
void Memory::ClearPlace(const std::string& name) {
  std::erase_if(objects_, [&](const auto& object) {
    return object.first.starts_with(name + '/') || name.starts_with(object.first + '/');
  });
}

Result<std::optional<ObjectInfo>> Memory::Put(std::string_view name, store::Source& source,
                                              const store::Precondition& precondition,
                                              const store::PutOptions& options,
                                              std::stop_token /*stop*/) {
  std::string content;
  KINETIC_RETURN_IF_ERROR(source.Rewind());
  for (;;) {
    KINETIC_ASSIGN_OR_RETURN(const std::string_view piece, source.Next());
    if (piece.empty()) break;
    content += piece;
  }
  if (content.size() < source.size_bytes()) {
    return Fail(ErrorCode::kAborted, "the content was truncated while it was read");
  }
  if (content.size() > source.size_bytes()) {
    return Fail(ErrorCode::kInternal, "the source has another size than it said");
  }
  ObjectInfo info;
  {
    const std::lock_guard lock(mutex_);
    const std::string key(name);
    const auto there = objects_.find(key);
    const bool absent = precondition.kind == store::Precondition::Kind::kAbsent;
    if (absent) ClearPlace(key);
    if (absent != (there == objects_.end())) return std::nullopt;
    if (!absent && there->second.info.generation != precondition.generation) return std::nullopt;
    ++counter_;
    const WallTime lease = options.lease.value_or(clock_.Now());
    info = {key, content.size(), counter_, counter_, lease, options.metadata};
    objects_.insert_or_assign(key, Object{info, std::move(content)});
  }
  return info;
}

Result<std::optional<store::ReadResult>> Memory::Get(std::string_view name,
                                                     const store::Range& range,
                                                     const store::Sink& sink,
                                                     std::stop_token /*stop*/) {
  Object object;
  {
    const std::lock_guard lock(mutex_);
    const auto there = objects_.find(std::string(name));
    if (there == objects_.end()) return std::nullopt;
    object = there->second;
  }
  const std::uint64_t offset = std::min<std::uint64_t>(range.offset, object.content.size());
  const auto piece =
      std::string_view(object.content).substr(offset, range.length.value_or(std::string::npos));
  if (!piece.empty()) KINETIC_RETURN_IF_ERROR(sink(piece));
  return store::ReadResult{object.info.size_bytes, object.info.generation};
}

Result<std::optional<ObjectInfo>> Memory::Stat(std::string_view name, std::stop_token /*stop*/) {
  const std::lock_guard lock(mutex_);
  const auto there = objects_.find(std::string(name));
  if (there == objects_.end()) return std::nullopt;
  return there->second.info;
}

Status Memory::List(std::string_view prefix, std::string_view start,
                    const std::function<Result<bool>(const ObjectInfo&)>& each,
                    std::stop_token /*stop*/) {
  std::string from(std::max(prefix, start));
  for (;;) {
    ObjectInfo info;
    {
      const std::lock_guard lock(mutex_);
      const auto next = objects_.lower_bound(from);
      if (next == objects_.end() || !next->first.starts_with(prefix)) return {};
      info = next->second.info;
    }
    from = info.name + '\0';
    KINETIC_ASSIGN_OR_RETURN(const bool more, each(info));
    if (!more) return {};
  }
}

Result<std::optional<ObjectInfo>> Memory::Touch(std::string_view name,
                                                const store::TouchOptions& options,
                                                std::stop_token /*stop*/) {
  const std::lock_guard lock(mutex_);
  const auto there = objects_.find(std::string(name));
  if (there == objects_.end()) return std::nullopt;
  ObjectInfo& info = there->second.info;
  if (options.generation && *options.generation != info.generation) return std::nullopt;
  info.lease = std::max(info.lease, options.lease.value_or(clock_.Now()));
  info.metageneration = ++counter_;
  return info;
}

Result<store::Removal> Memory::RemoveIfUnchanged(const ObjectInfo& seen, std::stop_token /*stop*/) {
  const std::lock_guard lock(mutex_);
  const auto there = objects_.find(seen.name);
  if (there == objects_.end()) return store::Removal::kAbsent;
  const ObjectInfo& now = there->second.info;
  if (now.generation != seen.generation || now.metageneration != seen.metageneration) {
    return store::Removal::kChanged;
  }
  objects_.erase(there);
  return store::Removal::kRemoved;
}

Result<std::uint64_t> Memory::RemoveLeftovers(std::stop_token /*stop*/) { return 0U; }

}  // namespace

MemoryStore::MemoryStore(Clock& clock) : WatchedStore(std::make_unique<Memory>(clock)) {}

}  // namespace kinetic::test

#include "support/memory_store.h"

#include "base/try.h"
#include "store/name.h"

#include <algorithm>

namespace kinetic::test {

using store::ObjectInfo;

Status MemoryStore::Before(std::string_view operation, std::string_view name,
                           const std::stop_token& stop) {
  if (stop.stop_requested()) return Fail(ErrorCode::kCancelled, "stopped");
  if (hook_) return hook_(operation, name);
  return {};
}

void MemoryStore::Drop(std::string_view name) {
  const std::lock_guard lock(mutex_);
  objects_.erase(std::string(name));
}

std::optional<std::string> MemoryStore::Peek(const std::string& name) const {
  const std::lock_guard lock(mutex_);
  const auto there = objects_.find(name);
  if (there == objects_.end()) return std::nullopt;
  return there->second.content;
}

std::map<std::string, ObjectInfo> MemoryStore::Objects() const {
  const std::lock_guard lock(mutex_);
  std::map<std::string, ObjectInfo> infos;
  for (const auto& [name, object] : objects_) infos.emplace(name, object.info);
  return infos;
}

Result<WallTime> MemoryStore::Now(std::stop_token stop) {
  KINETIC_RETURN_IF_ERROR(Before("now", "", stop));
  return clock_.Now();
}

Status MemoryStore::CheckPlace(const std::string& name) const {
  const auto bad = [&] {
    return Fail(ErrorCode::kInvalidArgument,
                "object name " + name + ": a name cannot be a file and a folder");
  };
  const auto below = objects_.lower_bound(name + '/');
  if (below != objects_.end() && below->first.starts_with(name + '/')) return bad();
  for (auto slash = name.find('/'); slash != std::string::npos; slash = name.find('/', slash + 1)) {
    if (objects_.contains(name.substr(0, slash))) return bad();
  }
  return {};
}

Result<std::optional<ObjectInfo>> MemoryStore::Put(std::string_view name, store::Source& source,
                                                   const store::Precondition& precondition,
                                                   const store::PutOptions& options,
                                                   std::stop_token stop) {
  KINETIC_RETURN_IF_ERROR(store::CheckName(name));
  KINETIC_RETURN_IF_ERROR(store::CheckMetadata(name, options.metadata));
  std::string content;
  KINETIC_RETURN_IF_ERROR(source.Rewind());
  for (;;) {
    KINETIC_ASSIGN_OR_RETURN(const std::string_view piece, source.Next());
    if (piece.empty()) break;
    content += piece;
  }
  if (content.size() != source.size_bytes()) {
    return Fail(ErrorCode::kInternal, "the source has another size than it said");
  }
  KINETIC_RETURN_IF_ERROR(Before("put", name, stop));
  ObjectInfo info;
  {
    const std::lock_guard lock(mutex_);
    const std::string key(name);
    const auto there = objects_.find(key);
    const bool absent = precondition.kind == store::Precondition::Kind::kAbsent;
    if (absent) KINETIC_RETURN_IF_ERROR(CheckPlace(key));
    if (absent != (there == objects_.end())) return std::nullopt;
    if (!absent && there->second.info.generation != precondition.generation) return std::nullopt;
    ++counter_;
    const WallTime lease = options.lease.value_or(clock_.Now());
    info = {key, content.size(), counter_, counter_, lease, options.metadata};
    objects_.insert_or_assign(key, Object{info, std::move(content)});
  }
  KINETIC_RETURN_IF_ERROR(Before("stored", name, stop));
  return info;
}

Result<std::optional<store::ReadObject>> MemoryStore::Get(std::string_view name,
                                                          const store::Range& range,
                                                          const store::Sink& sink,
                                                          std::stop_token stop) {
  KINETIC_RETURN_IF_ERROR(store::CheckName(name));
  KINETIC_RETURN_IF_ERROR(Before("get", name, stop));
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
  return store::ReadObject{object.info.size_bytes, object.info.generation};
}

Result<std::optional<ObjectInfo>> MemoryStore::Stat(std::string_view name, std::stop_token stop) {
  KINETIC_RETURN_IF_ERROR(store::CheckName(name));
  KINETIC_RETURN_IF_ERROR(Before("stat", name, stop));
  const std::lock_guard lock(mutex_);
  const auto there = objects_.find(std::string(name));
  if (there == objects_.end()) return std::nullopt;
  return there->second.info;
}

Status MemoryStore::List(std::string_view prefix, std::string_view start,
                         const std::function<Result<bool>(const ObjectInfo&)>& each,
                         std::stop_token stop) {
  KINETIC_RETURN_IF_ERROR(Before("list", prefix, stop));
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

Result<std::optional<ObjectInfo>> MemoryStore::Touch(std::string_view name,
                                                     const store::TouchOptions& options,
                                                     std::stop_token stop) {
  KINETIC_RETURN_IF_ERROR(store::CheckName(name));
  KINETIC_RETURN_IF_ERROR(Before("touch", name, stop));
  const std::lock_guard lock(mutex_);
  const auto there = objects_.find(std::string(name));
  if (there == objects_.end()) return std::nullopt;
  ObjectInfo& info = there->second.info;
  if (options.generation && *options.generation != info.generation) return std::nullopt;
  info.lease = std::max(info.lease, options.lease.value_or(clock_.Now()));
  info.metageneration = ++counter_;
  return info;
}

Result<store::Removal> MemoryStore::RemoveIfUnchanged(const ObjectInfo& seen,
                                                      std::stop_token stop) {
  KINETIC_RETURN_IF_ERROR(store::CheckName(seen.name));
  KINETIC_RETURN_IF_ERROR(Before("remove", seen.name, stop));
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

Result<std::uint64_t> MemoryStore::RemoveLeftovers(std::stop_token /*stop*/) { return 0U; }

}  // namespace kinetic::test

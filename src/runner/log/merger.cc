#include "runner/log/merger.h"

#include "kinetic/try.h"

#include "record/log/objects.h"

#include <fmt/format.h>

#include <algorithm>
#include <string>
#include <utility>

namespace kinetic::runner {
namespace {

constexpr std::size_t kMergedObjects = 8;
constexpr std::uint64_t kPieceBytes = 4U << 20;

/// The content of stored objects, one after the other.
class ConcatenatedObjects final : public store::Source {
 public:
  ConcatenatedObjects(store::Store& store, std::vector<store::ObjectInfo> objects,
                      std::stop_token stop)
      : store_(store), objects_(std::move(objects)), stop_(std::move(stop)) {}

  std::uint64_t size_bytes() const override {
    std::uint64_t bytes = 0;
    for (const auto& object : objects_) bytes += object.size_bytes;
    return bytes;
  }

  Status Rewind() override {
    at_ = 0;
    offset_ = 0;
    return {};
  }

  Result<std::string_view> Next() override {
    while (at_ < objects_.size() && offset_ >= objects_[at_].size_bytes) {
      ++at_;
      offset_ = 0;
    }
    piece_.clear();
    if (at_ == objects_.size()) return std::string_view();
    const auto& object = objects_[at_];
    const auto take = [this](std::string_view bytes) -> Status {
      piece_ += bytes;
      return {};
    };
    KINETIC_ASSIGN_OR_RETURN(const auto info,
                             store_.Get(object.name, {offset_, kPieceBytes}, take, stop_));
    if (!info || info->generation != object.generation || piece_.empty()) {
      return Fail(ErrorCode::kAborted,
                  object.name + " was changed by another process while it was merged");
    }
    offset_ += piece_.size();
    return std::string_view(piece_);
  }

 private:
  store::Store& store_;
  const std::vector<store::ObjectInfo> objects_;
  const std::stop_token stop_;
  std::size_t at_ = 0;
  std::uint64_t offset_ = 0;
  std::string piece_;
};

}  // namespace

bool LogMerger::ShouldMerge() const {
  if (objects_.size() < kMergedObjects) return false;
  return std::all_of(objects_.end() - kMergedObjects, objects_.end(), [this](const Object& object) {
    return object.merges == objects_.back().merges;
  });
}

Status LogMerger::Add(store::ObjectInfo info, std::uint64_t next, std::stop_token stop) {
  objects_.push_back({std::move(info), next, 0});
  while (ShouldMerge()) {
    auto merged = Merge(stop);
    if (merged) continue;
    objects_.clear();  // they are complete; do not retry with every segment
    return merged;
  }
  return {};
}

Status LogMerger::Merge(const std::stop_token& stop) {
  std::vector<store::ObjectInfo> parts;
  for (auto part = objects_.end() - kMergedObjects; part != objects_.end(); ++part) {
    parts.push_back(part->info);
  }
  const std::uint64_t next = objects_.back().next;
  const int merges = objects_.back().merges;
  ConcatenatedObjects source(store_, parts, stop);
  KINETIC_ASSIGN_OR_RETURN(
      auto whole, store_.Put(parts.front().name, source,
                             store::Precondition::Generation(parts.front().generation),
                             {.metadata = record::LogMetadata(job_, next), .lease = {}}, stop));
  if (!whole) {
    return Fail(ErrorCode::kAborted,
                parts.front().name + " was changed by another process while it was merged");
  }
  // Parts are removed only after the whole is stored.
  for (std::size_t i = 1; i < parts.size(); ++i) {
    KINETIC_RETURN_IF_ERROR(store_.RemoveIfUnchanged(parts[i], stop));
  }
  objects_.erase(objects_.end() - kMergedObjects, objects_.end());
  objects_.push_back({*std::move(whole), next, merges + 1});
  return {};
}

}  // namespace kinetic::runner

#include "bundle/write/tree_cache.h"

#include "base/random.h"
#include "base/try.h"
#include "bundle/format/tree_codec.h"

#include <algorithm>
#include <chrono>
#include <cstring>
#include <string_view>
#include <utility>
#include <vector>

namespace kinetic::bundle {
namespace {

// The file: header, the tree object, the sha256 of all that. Numbers are as the machine has them: a
// file from another kind of machine begins with another kTreeCacheMagic.
constexpr std::uint64_t kTreeCacheMagic =
    0x0001'6b69'6e74'7265;  // its low two bytes tell the version apart
constexpr std::string_view kUnfinished = ".tmp";
constexpr std::chrono::hours kUnfinishedStays{24};

struct TreeCacheHeader {
  std::uint64_t magic = kTreeCacheMagic;
  std::int64_t generation = 0;
};

std::string Serialize(const TreeObject& object) {
  const TreeCacheHeader header{.magic = kTreeCacheMagic, .generation = object.generation};
  std::string out(sizeof header, '\0');
  std::memcpy(out.data(), &header, sizeof header);
  out += object.body;
  out += Sha256::Of(out).View();
  return out;
}

std::optional<TreeObject> Parse(std::string bytes) {
  TreeCacheHeader header;
  if (bytes.size() < sizeof header + sizeof(Digest)) return std::nullopt;
  const std::size_t checked = bytes.size() - sizeof(Digest);
  if (Sha256::Of(std::string_view(bytes).substr(0, checked)).View() != bytes.substr(checked)) {
    return std::nullopt;
  }
  std::memcpy(&header, bytes.data(), sizeof header);
  if (header.magic != kTreeCacheMagic) return std::nullopt;
  bytes.resize(checked);
  bytes.erase(0, sizeof header);
  return TreeObject{std::move(bytes), header.generation};
}

/// A file of the folder.
struct CachedTree {
  std::string name;
  std::int64_t used_ns = 0;
  std::uint64_t bytes = 0;
};

}  // namespace

TreeCache::TreeCache(FileSystem& fs, Clock& clock, Path folder, std::string location,
                     TreeCacheLimits limits)
    : fs_(fs),
      clock_(clock),
      folder_(std::move(folder)),
      location_(std::move(location)),
      limits_(limits) {}

Path TreeCache::FileOf(const Digest& tree) const {
  constexpr std::size_t kNameLength = 32;
  return folder_ / Sha256::Of(location_ + "\n" + tree.Hex()).Hex().substr(0, kNameLength);
}

std::optional<TreeObject> TreeCache::Find(const Digest& tree) const {
  const Path file = FileOf(tree);
  auto bytes = ReadFile(fs_, file, kMaxTreeObjectBytes);
  if (!bytes) return std::nullopt;  // whatever it is, the store has the tree
  auto object = Parse(*std::move(bytes));
  // What is used stays longest; who may not say so loses it earlier, no more.
  if (object) (void)fs_.SetModifiedTime(file, clock_.Now());
  return object;
}

Status TreeCache::Keep(const Digest& tree, const TreeObject& object) const {
  if (object.body.size() > limits_.bytes / 4) return {};
  KINETIC_RETURN_IF_ERROR(MakeDirectories(fs_, folder_, 0700));
  const Path file = FileOf(tree);
  Path temporary = file;
  temporary += "." + RandomId() + std::string(kUnfinished);
  const auto write = [&]() -> Status {
    // Not forced to the disk: what a crash leaves of it fails its checksum, and is not there.
    KINETIC_ASSIGN_OR_RETURN(const UniqueFd fd, fs_.Open(temporary, OpenMode::kCreateNew, 0600));
    KINETIC_RETURN_IF_ERROR(fs_.Write(fd.get(), Serialize(object)));
    KINETIC_RETURN_IF_ERROR(fs_.SetModifiedTime(temporary, clock_.Now()));
    return fs_.Rename(temporary, file);
  };
  if (auto written = write(); !written) {
    (void)fs_.Unlink(temporary);
    return written;
  }
  return MakeRoom();
}

Status TreeCache::MakeRoom() const {
  KINETIC_ASSIGN_OR_RETURN(const auto entries, fs_.ReadDirectory(folder_));
  std::vector<std::string> names;
  names.reserve(entries.size());
  for (const auto& entry : entries) names.push_back(entry.name);
  KINETIC_ASSIGN_OR_RETURN(const auto statuses, fs_.LstatAll(folder_, names));
  const auto dead_before = std::chrono::duration_cast<std::chrono::nanoseconds>(
                               (clock_.Now() - kUnfinishedStays).time_since_epoch())
                               .count();
  std::vector<CachedTree> all;
  for (std::size_t i = 0; i < names.size(); ++i) {
    if (!statuses[i]) continue;
    if (!names[i].ends_with(kUnfinished)) {
      all.push_back({std::move(names[i]), statuses[i]->mtime_ns, statuses[i]->size_bytes});
    } else if (statuses[i]->mtime_ns < dead_before) {
      (void)fs_.Unlink(folder_ / names[i]);
    }
  }
  std::ranges::sort(all, std::ranges::greater(), &CachedTree::used_ns);
  std::uint64_t bytes = 0;
  std::size_t files = 0;
  for (const CachedTree& kept : all) {
    bytes += kept.bytes;
    if (++files <= limits_.files && bytes <= limits_.bytes) continue;
    auto removed = fs_.Unlink(folder_ / kept.name);
    if (!removed && removed.error().code != ErrorCode::kNotFound) return removed;
  }
  return {};
}

}  // namespace kinetic::bundle

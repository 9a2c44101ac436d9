#include "bundle/format/tree_cache.h"

#include "kinetic/try.h"

#include "base/random.h"
#include "bundle/format/tree_codec.h"

#include <algorithm>
#include <chrono>
#include <cstring>
#include <string_view>
#include <utility>
#include <vector>

namespace kinetic::bundle {
namespace {

// File format: header, tree object, sha256 of all that. Numbers are in native byte order, which
// kTreeCacheMagic reveals.
constexpr std::uint64_t kTreeCacheMagic =
    0x0001'6b69'6e74'7265;  // the first two bytes are the version
constexpr std::string_view kTemporarySuffix = ".tmp";
constexpr std::chrono::hours kTemporaryMaxAge{24};

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

/// A file in the cache folder.
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

Path TreeCache::FilePath(const Digest& tree) const {
  constexpr std::size_t kNameLength = 32;
  return folder_ / Sha256::Of(location_ + "\n" + tree.Hex()).Hex().substr(0, kNameLength);
}

std::optional<TreeObject> TreeCache::Find(const Digest& tree) const {
  const Path file = FilePath(tree);
  auto bytes = ReadFile(fs_, file, kMaxTreeObjectBytes);
  if (!bytes) return std::nullopt;  // the store has the tree
  auto object = Parse(*std::move(bytes));
  // Marks the file as used. A failure only means that it is evicted earlier.
  if (object) (void)fs_.SetModifiedTime(file, clock_.Now());
  return object;
}

Status TreeCache::Insert(const Digest& tree, const TreeObject& object) const {
  if (object.body.size() > limits_.bytes / 4) return {};
  KINETIC_RETURN_IF_ERROR(MakeDirectories(fs_, folder_, 0700));
  const Path file = FilePath(tree);
  Path temporary = file;
  temporary += "." + RandomId() + std::string(kTemporarySuffix);
  const auto write = [&]() -> Status {
    // No sync: after a crash the checksum fails and the file is ignored.
    KINETIC_ASSIGN_OR_RETURN(const UniqueFd fd, fs_.Open(temporary, OpenMode::kCreateNew, 0600));
    KINETIC_RETURN_IF_ERROR(fs_.Write(fd.get(), Serialize(object)));
    KINETIC_RETURN_IF_ERROR(fs_.SetModifiedTime(temporary, clock_.Now()));
    return fs_.Rename(temporary, file);
  };
  if (auto written = write(); !written) {
    (void)fs_.Unlink(temporary);
    return written;
  }
  return Evict();
}

Status TreeCache::Evict() const {
  KINETIC_ASSIGN_OR_RETURN(const auto entries, fs_.ReadDirectory(folder_));
  std::vector<std::string> names;
  names.reserve(entries.size());
  for (const auto& entry : entries) names.push_back(entry.name);
  KINETIC_ASSIGN_OR_RETURN(const auto statuses, fs_.LstatAll(folder_, names));
  const auto dead_before = std::chrono::duration_cast<std::chrono::nanoseconds>(
                               (clock_.Now() - kTemporaryMaxAge).time_since_epoch())
                               .count();
  std::vector<CachedTree> all;
  for (std::size_t i = 0; i < names.size(); ++i) {
    if (!statuses[i]) continue;
    if (!names[i].ends_with(kTemporarySuffix)) {
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

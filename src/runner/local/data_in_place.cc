#include "runner/local/data_in_place.h"

#include "kinetic/try.h"

#include "base/files/copy_content.h"
#include "base/strings.h"
#include "bundle/source/walk.h"
#include "bundle/write/bundle_writer.h"
#include "bundle/write/stat_cache.h"
#include "runner/diagnostics.h"
#include "runner/program/command.h"

#include <fmt/format.h>

#include <sys/xattr.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <cstdint>
#include <cstring>
#include <optional>
#include <set>
#include <utility>

namespace kinetic::runner {
namespace {

using EntryType = BundleEntry::Type;

/// Smaller data is copied: its copies need little space, a user may change the data while the job
/// runs, and the program needs no user namespace.
constexpr std::uint64_t kMinBytes = 16U << 20;

bool IsLarge(const bundle::SourceTree& tree) {
  std::uint64_t bytes = 0;
  for (const auto& entry : tree.entries) bytes += entry.status.size_bytes;
  return bytes >= kMinBytes;
}

/// Returns a digest that changes with the files of a source.
Digest MetadataDigest(const bundle::SourceTree& tree) {
  Sha256 sha;
  for (const auto& entry : tree.entries) {
    sha.Update(fmt::format("{}\n{}\n{} {} {} {}\n", entry.path, entry.link_target,
                           entry.status.size_bytes, entry.status.mtime_ns, entry.status.ctime_ns,
                           entry.status.inode));
  }
  return sha.Finish();
}

/// Returns whether a program could change a file or folder in an overlay, which keeps owner and
/// mode. In a user namespace, it could not change those of other users.
bool IsWritable(const FileStatus& status) {
  constexpr std::uint32_t kFileBits = 0600;
  constexpr std::uint32_t kFolderBits = 0700;
  const std::uint32_t needed = status.type == FileType::kDirectory ? kFolderBits : kFileBits;
  const auto user = ::geteuid();
  return user == 0 || (status.owner == user && (status.mode & needed) == needed);
}

/// Returns the folders of a tree, the root included.
std::set<Path> FoldersOf(const bundle::SourceTree& tree) {
  std::set<Path> folders = {tree.root};
  for (const auto& entry : tree.entries) {
    const Path path = tree.root / entry.path;
    Path folder = entry.type == EntryType::kEmptyFolder ? path : path.parent_path();
    while (folders.insert(folder).second) folder = folder.parent_path();
  }
  return folders;
}

/// Returns whether a program sees the same in an overlay of the source as in a copy of the tree.
bool IsEqualInOverlay(FileSystem& fs, const bundle::SourceTree& tree) {
  const auto root = fs.Lstat(tree.root);
  if (!root) return false;
  const bool files = std::ranges::all_of(tree.entries, [&](const bundle::SourceEntry& entry) {
    if (entry.type == EntryType::kEmptyFolder) return true;
    if (entry.type == EntryType::kSymlink) {
      // An absolute link would lead out of the overlay, to files that the job must not change.
      const auto target = fs.ReadLink(tree.root / entry.path);
      return target && *target == entry.link_target;
    }
    // An overlay has no files of other mounts.
    return entry.status.device == root->device && IsWritable(entry.status);
  });
  return files && std::ranges::all_of(FoldersOf(tree), [&](const Path& folder) {
           const auto status = fs.Lstat(folder);
           return status && IsWritable(*status);
         });
}

/// Returns whether overlays can keep their own attributes in a folder: not on tmpfs before Linux 6.6.
/// Without them a program could not replace a folder.
bool HasUserAttributes(const Path& folder) {
  return ::setxattr(folder.c_str(), "user.kinetic", "1", 1, 0) == 0;
}

/// Returns whether a copy of a file in `folder` would share its disk blocks.
bool CanShare(FileSystem& fs, const bundle::SourceTree& tree, const Path& folder) {
  const auto file = std::ranges::find_if(tree.entries, [](const bundle::SourceEntry& entry) {
    return entry.type == EntryType::kFile && entry.status.size_bytes > 0;
  });
  if (file == tree.entries.end()) return false;
  const auto from = fs.Open(tree.root / file->path, OpenMode::kReadWithoutWaiting, 0);
  const Path probe = folder / "probe";
  const auto to = fs.Open(probe, OpenMode::kTruncate, 0600);
  const bool shared = from && to && ShareContent(from->get(), to->get());
  (void)fs.Unlink(probe);
  return shared;
}

bool IsMountable(FileSystem& fs, const local::Overlay& overlay) {
  if (!local::CanMount(overlay) || !HasUserAttributes(overlay.scratch)) return false;
  const auto mounts = local::PrivateMounts::Make(fs, {overlay}, {}, {});
  const int failed = mounts ? mounts->Try() : EINVAL;
  if (failed != 0) {
    LogDiagnostic(fmt::format("{} is copied, because it cannot be mounted: {}",
                              Printable(overlay.content.native()), std::strerror(failed)));
  }
  return failed == 0;
}

}  // namespace

Status DataInPlace::Clear() {
  overlays_.clear();
  used_.clear();
  return RemoveTree(fs_, runtime_.Layers());
}

bool DataInPlace::Provide(const std::string& path, const record::DataTree& data,
                          const std::stop_token& stop) {
  const auto found = sources_.find(path);
  // Files below the working folder are copied to and from clients: `kinetic cp`.
  if (found == sources_.end() || !Path(path).is_absolute()) return false;
  const local::StoredSource& source = found->second;
  const Path whole = source.file.empty() ? source.folder : source.folder / source.file;
  const auto tree = bundle::WalkDataSource(fs_, whole, false, stop);
  if (!tree || !IsLarge(*tree) || !IsEqualInOverlay(fs_, *tree)) return false;
  const auto cache = bundle::StatCache::Load(fs_, source.stat_cache, WallTime());
  if (!cache || bundle::CachedTreeDigest(*tree, *cache) != data.tree) return false;

  const Path layer = runtime_.Layers() / std::to_string(overlays_.size());
  const Path place = DataPath(runtime_, path);
  local::Overlay overlay{source.folder, data.file ? layer / "files" : place, layer / "scratch"};
  const auto prepare = [&]() -> Status {
    KINETIC_RETURN_IF_ERROR(MakeDirectories(fs_, overlay.scratch, 0700));
    KINETIC_RETURN_IF_ERROR(MakeDirectories(fs_, overlay.folder, 0755));
    if (!data.file) return {};
    // One file cannot be the content of an overlay, but its folder can.
    KINETIC_RETURN_IF_ERROR(MakeDirectories(fs_, place.parent_path(), 0755));
    return fs_.MakeSymlink(overlay.folder / source.file, place);
  };
  const Status prepared = prepare();
  LogFailure("preparing data in place", prepared);
  if (!prepared || CanShare(fs_, *tree, layer) || !IsMountable(fs_, overlay)) {
    for (const Path& made : {layer, place}) LogFailure("cleaning up", RemoveTree(fs_, made));
    return false;
  }
  overlays_.push_back(std::move(overlay));
  used_.push_back({path, whole, MetadataDigest(*tree)});
  return true;
}

std::vector<std::string> DataInPlace::ChangeNotes(const std::stop_token& stop) const {
  std::vector<std::string> notes;
  for (const UsedSource& used : used_) {
    const auto tree = bundle::WalkDataSource(fs_, used.source, false, stop);
    if (stop.stop_requested() || (tree && MetadataDigest(*tree) == used.state)) continue;
    notes.push_back(fmt::format(
        "warning: the data {} was changed while the job read it: {}; to give jobs a copy, store it "
        "with 'kinetic data put'",
        Printable(used.path), Printable(used.source.native())));
  }
  return notes;
}

}  // namespace kinetic::runner

#include "bundle/source/walk.h"

#include "kinetic/try.h"

#include "base/concurrency/parallel.h"
#include "base/strings.h"
#include "bundle/ignore/filter.h"
#include "bundle/ignore/rules.h"
#include "bundle/source/folder_reader.h"
#include "bundle/source/root.h"

#include <algorithm>
#include <atomic>
#include <condition_variable>
#include <deque>
#include <mutex>
#include <ranges>
#include <unordered_map>
#include <unordered_set>
#include <utility>

namespace kinetic::bundle {
namespace {

/// The folders of a walk, and the queue of folders to read.
class FolderQueue {
 public:
  explicit FolderQueue(std::shared_ptr<const IgnoreScope> scope) {
    Folder& root = all_.emplace_back();
    root.scope = std::move(scope);
    waiting_.push_back(&root);
  }

  /// Waits for a folder to read. Returns null if all are read or `stop` is requested.
  Folder* Take(const std::stop_token& stop) {
    std::unique_lock lock(mutex_);
    changed_.wait(lock, stop, [&] { return !waiting_.empty() || busy_ == 0; });
    if (waiting_.empty() || stop.stop_requested()) return nullptr;
    Folder* folder = waiting_.back();
    waiting_.pop_back();
    ++busy_;
    return folder;
  }

  /// Records that `folder` was read, and adds its subfolders.
  void Finish(Folder& folder, const std::vector<std::string>& names) {
    const std::lock_guard lock(mutex_);
    folder.folders.reserve(names.size());
    for (const std::string& name : names) {
      Folder& child = all_.emplace_back();
      child.parent = &folder;
      child.path = folder.path + name + '/';
      child.depth = folder.depth + 1;
      child.scope = folder.scope;
      folder.folders.push_back(&child);
    }
    waiting_.insert(waiting_.end(), folder.folders.rbegin(), folder.folders.rend());
    --busy_;
    // The caller reads one of them.
    if (names.size() > 1 || busy_ == 0) changed_.notify_all();
  }

  /// Returns all folders, parents before children.
  std::deque<Folder>& all() { return all_; }

 private:
  std::mutex mutex_;
  std::condition_variable_any changed_;
  std::deque<Folder> all_;
  std::vector<Folder*> waiting_;
  std::size_t busy_ = 0;
};

/// Returns the deepest folder that has more than half of its parent's entries, or ".".
std::string LargestFolder(std::deque<Folder>& folders) {
  std::unordered_map<const Folder*, std::size_t> counts;
  for (const Folder& folder : std::views::reverse(folders)) {
    counts[&folder] += folder.entries.size() + 1;
    if (folder.parent != nullptr) counts[folder.parent] += counts[&folder];
  }
  const Folder* largest = &folders.front();
  for (;;) {
    const auto next = std::ranges::max_element(
        largest->folders, {}, [&](const Folder* folder) { return counts[folder]; });
    if (next == largest->folders.end() || counts[*next] * 2 <= counts[largest]) break;
    largest = *next;
  }
  return largest->path.empty() ? "." : Printable(largest->path);
}

Failure TooManyFilesError(std::deque<Folder>& folders, std::size_t limit) {
  return Fail(ErrorCode::kResourceExhausted,
              "the bundle would have more than " + std::to_string(limit) + " files; most are in " +
                  LargestFolder(folders),
              "exclude files that the job does not need with `exclude` or a .kineticignore");
}

Status ReadAll(const FolderReader& reader, FolderQueue& folders, const WalkOptions& options,
               std::stop_token stop) {
  const std::size_t threads = options.threads == 0 ? ProcessorCount() : options.threads;
  std::atomic<std::size_t> count = 0;
  std::atomic<bool> too_many = false;
  const auto work = [&](std::size_t, std::stop_token stopped) -> Status {
    while (Folder* folder = folders.Take(stopped)) {
      KINETIC_ASSIGN_OR_RETURN(auto names, reader.Read(*folder));
      std::erase_if(names, [&](const std::string& name) {
        return !options.toward.empty() && !options.toward.starts_with(folder->path + name + '/');
      });
      if (count.fetch_add(folder->entries.size()) + folder->entries.size() + names.size() >
          options.max_entries) {
        too_many = true;
        return Fail(ErrorCode::kResourceExhausted, "too many files");
      }
      folders.Finish(*folder, names);
    }
    return {};
  };
  auto done = ParallelFor(threads, threads, std::move(stop), work);
  if (too_many) return TooManyFilesError(folders.all(), options.max_entries);
  return done;
}

/// Moves all entries to one list, in the order of paths. Folders are ordered by name with '/'.
void Flatten(Folder& folder, std::vector<SourceEntry>& out) {
  auto entry = folder.entries.begin();
  for (Folder* child : folder.folders) {
    for (; entry != folder.entries.end() && entry->path < child->path; ++entry) {
      out.push_back(std::move(*entry));
    }
    if (!child->vanished) Flatten(*child, out);
  }
  out.insert(out.end(), std::move_iterator(entry), std::move_iterator(folder.entries.end()));
  const bool is_empty =
      folder.entries.empty() && std::ranges::all_of(folder.folders, &Folder::vanished);
  if (is_empty && folder.parent != nullptr) {
    out.push_back({.path = folder.path.substr(0, folder.path.size() - 1),
                   .type = BundleEntry::Type::kEmptyFolder,
                   .executable = false,
                   .link_target = {},
                   .status = {}});
  }
}

Result<SourceTree> Assemble(FileSystem& fs, const Root& root, FolderQueue& folders,
                            const WalkOptions& options) {
  SourceTree tree{.root = root.path, .root_reason = root.reason, .entries = {}, .warnings = {}};
  std::vector<Problem> problems;
  std::size_t count = 0;
  for (Folder& folder : folders.all()) {
    count += folder.entries.size() + (folder.folders.empty() ? 1 : 0);
    std::ranges::move(folder.problems, std::back_inserter(problems));
    std::ranges::move(folder.warnings, std::back_inserter(tree.warnings));
    std::ranges::sort(folder.folders, {}, &Folder::path);
  }
  tree.entries.reserve(count);
  Flatten(folders.all().front(), tree.entries);
  if (!std::ranges::is_sorted(tree.entries, {}, &SourceEntry::path)) {
    std::ranges::sort(tree.entries, {}, &SourceEntry::path);
  }
  KINETIC_ASSIGN_OR_RETURN(auto bad_links, CheckLinks(fs, tree, options));
  std::ranges::move(bad_links, std::back_inserter(problems));
  if (!problems.empty()) {
    return Failure(ToError(std::move(problems), Printable(root.path.native()), options));
  }
  if (tree.entries.empty()) {
    const std::string folder = Printable(root.path.native());
    tree.warnings.push_back(options.is_data ? "the data is empty: " + folder
                                            : "the bundle is empty: " + folder +
                                                  " is empty, or everything in it is excluded");
  }
  std::ranges::sort(tree.warnings);
  return tree;
}

/// Resolves absolute paths. Ignores others, such as the address of a store.
Result<std::unordered_set<std::string>> ResolveAll(FileSystem& fs,
                                                   const std::vector<std::string>& paths) {
  std::unordered_set<std::string> resolved;
  for (const std::string& path : paths) {
    if (!path.starts_with('/')) continue;
    KINETIC_ASSIGN_OR_RETURN(const Path real, ResolvePath(fs, path));
    resolved.insert(real.native());
  }
  return resolved;
}

}  // namespace

Result<SourceTree> Walk(FileSystem& fs, const Root& root, const WalkOptions& options,
                        std::stop_token stop) {
  const Path repository = options.ignore_files ? root.repository : Path();
  std::string prefix;
  if (!repository.empty() && repository != root.path) {
    prefix = root.path.lexically_relative(repository).native() + '/';
  }
  KINETIC_ASSIGN_OR_RETURN(auto above, ReadScopesAbove(fs, repository, root.path));
  const IgnoreFilter filter(IgnoreRules::FromLines(options.exclude),
                            options.default_excludes ? &DefaultExcludes() : nullptr, prefix.size());
  KINETIC_ASSIGN_OR_RETURN(auto skip, ResolveAll(fs, options.skip_absolute));
  const FolderReader reader(fs, root.path.native(),
                            {.filter = filter,
                             .ignore_files = options.ignore_files,
                             .is_data = options.is_data,
                             .follow_links = options.follow_links,
                             .prefix = std::move(prefix),
                             .skip = std::move(skip)});
  FolderQueue folders(std::move(above));
  KINETIC_RETURN_IF_ERROR(ReadAll(reader, folders, options, std::move(stop)));
  return Assemble(fs, root, folders, options);
}

Result<bool> IsListed(FileSystem& fs, const Root& root, WalkOptions options,
                      const std::string& file) {
  options.toward = file;
  KINETIC_ASSIGN_OR_RETURN(const SourceTree tree, Walk(fs, root, options, {}));
  return std::ranges::any_of(tree.entries, [&](const SourceEntry& entry) {
    const bool is_link = entry.type == BundleEntry::Type::kSymlink;
    return entry.path == file || (is_link && file.starts_with(entry.path + '/'));
  });
}

}  // namespace kinetic::bundle

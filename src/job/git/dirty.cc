#include "base/concurrency/parallel.h"
#include "base/git_objects.h"
#include "base/strings.h"
#include "job/git/repository.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <atomic>
#include <map>
#include <span>
#include <utility>
#include <vector>

namespace kinetic::job {
namespace {

constexpr std::uint64_t kMaxIndexBytes = 512U << 20;
constexpr std::uint64_t kMaxConfigBytes = 1U << 20;
constexpr std::size_t kMaxThreads = 8;
constexpr std::uint32_t kTypeMask = 0170000;
constexpr std::uint32_t kRegularType = 0100000;
constexpr std::uint32_t kLinkType = 0120000;

/// git's answer for one file or for all.
enum class Answer : std::uint8_t { kClean, kDirty, kUnknown };

std::uint32_t Seconds(std::int64_t ns) { return static_cast<std::uint32_t>(ns / 1'000'000'000); }
std::uint32_t Nanoseconds(std::int64_t ns) {
  return static_cast<std::uint32_t>(ns % 1'000'000'000);
}

/// Compares the files of a worktree with git's index.
class Comparison {
 public:
  Comparison(FileSystem& worktree, const GitRepository& repository, std::int64_t index_mtime_ns,
             FileSystem& fs)
      : worktree_(worktree), root_(repository.worktree), index_mtime_ns_(index_mtime_ns) {
    const auto attributes =
        ReadGitFile(fs, repository.common / "info" / "attributes", kMaxConfigBytes);
    has_global_filter_ = attributes && NamesFilter(*attributes);
    const auto config = ReadGitFile(fs, repository.common / "config", kMaxConfigBytes);
    trust_mode_ = !config || !TurnsOffFileMode(*config);
  }

  /// Returns whether a file has the state that git recorded, so that its content is not needed.
  bool IsClean(const GitIndexEntry& entry, const FileStatus& status) const {
    return (entry.mode & kTypeMask) == kRegularType && status.type == FileType::kRegular &&
           HasSameMode(entry, status) && IsUnchanged(entry, status);
  }

  /// Compares the entries of one folder.
  Answer CompareFolder(const Path& folder, const std::vector<const GitIndexEntry*>& entries) const {
    std::vector<std::string> names;
    names.reserve(entries.size());
    for (const auto* entry : entries) names.push_back(Path(entry->path).filename());
    const auto found = worktree_.LstatAll(root_ / folder, names);
    if (!found) {
      // The folder was removed, or replaced by a link or a file.
      const ErrorCode code = found.error().code;
      const bool is_changed =
          code == ErrorCode::kNotFound || code == ErrorCode::kFailedPrecondition;
      return is_changed ? Answer::kDirty : Answer::kUnknown;
    }
    Answer answer = Answer::kClean;
    for (std::size_t i = 0; i < entries.size(); ++i) {
      const auto& status = (*found)[i];
      const Answer one = status ? Compare(*entries[i], *status) : Answer::kDirty;
      if (one == Answer::kDirty) return one;
      if (one == Answer::kUnknown) answer = one;
    }
    return answer;
  }

 private:
  /// Filters and encodings make the stored content differ from the file. The words are in each
  /// attribute that names them, and in each macro.
  static bool NamesFilter(std::string_view attributes) {
    static constexpr std::array<std::string_view, 3> kWords{"filter", "ident", "encoding"};
    return std::ranges::any_of(kWords, [&](std::string_view word) {
      return attributes.find(word) != std::string_view::npos;
    });
  }

  /// File systems without execute bits have `core.fileMode = false`.
  static bool TurnsOffFileMode(std::string_view config) {
    const std::string lower = ToLower(config);
    return std::ranges::any_of(Split(lower, '\n'), [](std::string_view line) {
      return Trim(line).starts_with("filemode") && line.find("true") == std::string_view::npos;
    });
  }

  bool HasSameMode(const GitIndexEntry& entry, const FileStatus& status) const {
    return !trust_mode_ || ((entry.mode ^ status.mode) & 0100) == 0;
  }

  Answer Compare(const GitIndexEntry& entry, const FileStatus& status) const {
    const std::uint32_t type = entry.mode & kTypeMask;
    if (type == kRegularType ? status.type != FileType::kRegular
                             : type == kLinkType && status.type != FileType::kSymlink) {
      return Answer::kDirty;
    }
    if (type == kLinkType) return CompareLink(entry);
    if (type != kRegularType) return Answer::kUnknown;  // a submodule
    if (!HasSameMode(entry, status)) return Answer::kDirty;
    return IsUnchanged(entry, status) ? Answer::kClean : CompareContent(entry, status);
  }

  /// Returns whether a file has the state that git recorded, and can have no later change within
  /// the precision of its time.
  bool IsUnchanged(const GitIndexEntry& entry, const FileStatus& status) const {
    const auto same_time = [](std::uint32_t s, std::uint32_t ns, std::int64_t time) {
      return s == Seconds(time) && (ns == 0 || ns == Nanoseconds(time));
    };
    const bool is_precise = entry.mtime_ns != 0;
    const bool is_older = is_precise ? status.mtime_ns < index_mtime_ns_
                                     : Seconds(status.mtime_ns) < Seconds(index_mtime_ns_);
    return is_older && same_time(entry.mtime_s, entry.mtime_ns, status.mtime_ns) &&
           same_time(entry.ctime_s, entry.ctime_ns, status.ctime_ns) &&
           entry.inode == static_cast<std::uint32_t>(status.inode) &&
           entry.size == static_cast<std::uint32_t>(status.size_bytes);
  }

  Answer CompareLink(const GitIndexEntry& entry) const {
    const auto target = worktree_.ReadLink(root_ / entry.path);
    if (!target) return Answer::kUnknown;
    GitHash hash(entry.id.size());
    hash.Update(fmt::format("blob {}", target->size()) + '\0').Update(*target);
    return hash.Finish() == entry.id ? Answer::kClean : Answer::kDirty;
  }

  Answer CompareContent(const GitIndexEntry& entry, const FileStatus& status) const {
    const auto fd = worktree_.Open(root_ / entry.path, OpenMode::kRead, 0);
    if (!fd) return Answer::kUnknown;
    GitHash hash(entry.id.size());
    hash.Update(fmt::format("blob {}", status.size_bytes) + '\0');
    bool has_carriage_return = false;  // git may convert line ends
    std::vector<char> buffer(1U << 16);
    for (;;) {
      const auto count = worktree_.Read(fd->get(), buffer);
      if (!count) return Answer::kUnknown;
      if (*count == 0) break;
      const std::string_view piece(buffer.data(), *count);
      hash.Update(piece);
      has_carriage_return = has_carriage_return || piece.find('\r') != std::string_view::npos;
    }
    if (hash.Finish() == entry.id) return Answer::kClean;
    return has_carriage_return || HasFilter(entry.path) ? Answer::kUnknown : Answer::kDirty;
  }

  /// Returns whether an attribute file that applies to `path` names a filter.
  bool HasFilter(const Path& path) const {
    if (has_global_filter_) return true;
    for (Path folder = path.parent_path();; folder = folder.parent_path()) {
      const auto text = ReadGitFile(worktree_, root_ / folder / ".gitattributes", kMaxConfigBytes);
      if (text && NamesFilter(*text)) return true;
      if (folder.empty()) return false;
    }
  }

  FileSystem& worktree_;
  const Path& root_;
  std::int64_t index_mtime_ns_;
  bool has_global_filter_ = false;
  bool trust_mode_ = true;
};

/// Compares the index with the commit.
Answer CompareCommit(FileSystem& fs, const GitRepository& repository, const GitIndex& index,
                     std::string_view commit) {
  for (const auto& entry : index.entries) {
    if (entry.is_conflict || entry.is_intent_to_add) return Answer::kDirty;
  }
  const auto tree = ReadCommitTree(fs, repository, commit);
  if (!tree) return Answer::kUnknown;
  const bool is_same =
      *tree == (index.tree.empty() ? TreeOfGitIndex(index, commit.size() / 2) : index.tree);
  return is_same ? Answer::kClean : Answer::kDirty;
}

/// Looks up tracked files in a list of walked files. Both are in the same order.
class WalkedLookup {
 public:
  WalkedLookup(const Path& worktree, const bundle::SourceTree* walked) {
    if (walked == nullptr) return;
    const Path folder = walked->root.lexically_relative(worktree);
    if (folder.empty() || *folder.begin() == "..") return;
    if (folder != ".") prefix_ = folder.native() + '/';
    rest_ = walked->entries;
  }

  /// Returns null for a file that was not walked.
  ///
  /// @param path  greater than in the previous call.
  const FileStatus* Find(std::string_view path) {
    if (!path.starts_with(prefix_)) return nullptr;
    path.remove_prefix(prefix_.size());
    while (!rest_.empty() && rest_.front().path < path) rest_ = rest_.subspan(1);
    const bool is_found = !rest_.empty() && rest_.front().path == path &&
                          rest_.front().type == BundleEntry::Type::kFile;
    return is_found ? &rest_.front().status : nullptr;
  }

 private:
  std::string prefix_;
  std::span<const bundle::SourceEntry> rest_;
};

Answer CompareFiles(const Comparison& comparison, const GitIndex& index, WalkedLookup walked,
                    const std::stop_token& stop) {
  std::map<std::string_view, std::vector<const GitIndexEntry*>> by_folder;
  for (const auto& entry : index.entries) {
    if (entry.is_assumed_clean) continue;
    const FileStatus* const status = walked.Find(entry.path);
    if (status != nullptr && comparison.IsClean(entry, *status)) continue;
    const auto slash = entry.path.rfind('/');
    by_folder[entry.path.substr(0, slash == std::string_view::npos ? 0 : slash)].push_back(&entry);
  }
  const std::vector<std::pair<std::string_view, std::vector<const GitIndexEntry*>>> folders(
      by_folder.begin(), by_folder.end());
  std::atomic<bool> is_dirty = false;
  std::atomic<bool> is_unknown = false;
  const auto compare = [&](std::size_t i, const std::stop_token& stopped) -> Status {
    if (is_dirty || stopped.stop_requested()) return {};
    const Answer answer = comparison.CompareFolder(Path(folders[i].first), folders[i].second);
    if (answer == Answer::kDirty) is_dirty = true;
    if (answer == Answer::kUnknown) is_unknown = true;
    return {};
  };
  const bool is_complete =
      ParallelFor(std::min(ProcessorCount(), kMaxThreads), folders.size(), stop, compare) &&
      !stop.stop_requested();
  if (is_dirty) return Answer::kDirty;
  return is_unknown || !is_complete ? Answer::kUnknown : Answer::kClean;
}

}  // namespace

std::optional<bool> IsDirty(FileSystem& fs, const GitRepository& repository,
                            std::string_view commit, const WalkedFiles& walked,
                            const std::stop_token& stop) {
  const Path file = repository.git_dir / "index";
  const auto status = fs.Lstat(file);
  auto bytes = ReadGitFile(fs, file, kMaxIndexBytes);
  const auto index = bytes ? ParseGitIndex(*std::move(bytes), commit.size() / 2) : std::nullopt;
  if (!status || !index) return std::nullopt;
  const Answer staged = CompareCommit(fs, repository, *index, commit);
  if (staged == Answer::kDirty) return true;
  // A repository may name files outside of its worktree, through links for example.
  const auto worktree = fs.OpenConfined(repository.worktree);
  if (!worktree) return std::nullopt;
  const Comparison comparison(**worktree, repository, status->mtime_ns, fs);
  const Answer changed = CompareFiles(
      comparison, *index, WalkedLookup(repository.worktree, walked ? walked() : nullptr), stop);
  if (changed == Answer::kDirty) return true;
  if (staged == Answer::kUnknown || changed == Answer::kUnknown) return std::nullopt;
  return false;
}

}  // namespace kinetic::job

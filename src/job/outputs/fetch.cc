#include "job/outputs/fetch.h"

#include "kinetic/try.h"

#include "base/concurrency/parallel.h"
#include "base/strings.h"
#include "local/copies.h"
#include "local/output_links.h"
#include "local/outputs.h"
#include "record/object_names.h"

#include <fmt/format.h>

#include <algorithm>
#include <map>
#include <mutex>
#include <utility>

namespace kinetic::job {
namespace {

constexpr std::size_t kThreads = 16;
/// Excludes a folder of fetched outputs from bundles.
constexpr std::string_view kIgnoreFile = ".gitignore";
constexpr std::string_view kIgnoreAll = "# Fetched outputs are not part of a job's code.\n*\n";

Result<std::vector<StoredFile>> FindOutputs(store::Store& store, std::string_view id,
                                            const std::stop_token& stop) {
  return ListStoredFiles(store, record::OutputName(id, ""), stop);
}

StoredFile FileOf(const store::ObjectInfo& info, std::string_view prefix) {
  return {info, local::DecodeObjectPath(info.name.substr(prefix.size())),
          local::OutputKindOf(info.metadata)};
}

bool IsBelow(std::string_view path, std::string_view folder) {
  while (folder.ends_with('/')) folder.remove_suffix(1);
  return path == folder || (path.starts_with(folder) && path[folder.size()] == '/');
}

Status SelectPaths(std::vector<StoredFile>& found, const std::vector<std::string>& paths,
                   std::string_view id) {
  if (paths.empty()) return {};
  for (const auto& path : paths) {
    const auto is_in = [&](const StoredFile& wanted) { return IsBelow(wanted.path, path); };
    if (std::ranges::any_of(found, is_in)) continue;
    return Fail(ErrorCode::kNotFound, fmt::format("job {} has no output {}", id, Printable(path)),
                fmt::format("list the stored outputs: kinetic outputs ls {}", id));
  }
  std::erase_if(found, [&](const StoredFile& wanted) {
    return std::ranges::none_of(paths,
                                [&](const auto& path) { return IsBelow(wanted.path, path); });
  });
  return {};
}

/// Takes the links to wanted files and folders out of `wanted`. A link to another file stays: it
/// comes back as a copy.
std::map<std::string, std::string> TakeLinks(std::vector<StoredFile>& wanted) {
  std::map<std::string, local::OutputKind> kinds;
  for (const auto& one : wanted) kinds.emplace(one.path, one.kind);
  auto selected = local::SelectLinks(kinds);
  std::erase_if(wanted, [&](const StoredFile& one) {
    return selected.links.contains(one.path) || selected.ignored.contains(one.path);
  });
  return std::move(selected.links);
}

/// Copies output files in parallel.
class OutputFetch {
 public:
  OutputFetch(Context& context, const FileDownload& options, std::vector<StoredFile> wanted)
      : context_(context),
        options_(options),
        links_(TakeLinks(wanted)),
        wanted_(std::move(wanted)) {}

  Result<FetchReport> Run(const std::stop_token& stop) {
    KINETIC_RETURN_IF_ERROR(
        ParallelFor(kThreads, wanted_.size(), stop,
                    [&](std::size_t i, const std::stop_token&) { return Inspect(wanted_[i]); }));
    FindLinkConflicts();
    KINETIC_RETURN_IF_ERROR(CheckConflicts());
    Observer silent;
    observer_ = options_.observer == nullptr ? &silent : options_.observer;
    observer_->OnPhaseBegin(Phase::kCollect, options_.what);
    report_.files = small_.size() + large_.size();
    KINETIC_RETURN_IF_ERROR(ParallelFor(
        kThreads, small_.size(), stop,
        [&](std::size_t i, const std::stop_token& stopped) { return Fetch(small_[i], stopped); }));
    // Large files are fetched sequentially, because each uses several connections.
    for (auto& large : large_) KINETIC_RETURN_IF_ERROR(Fetch(large, stop));
    KINETIC_RETURN_IF_ERROR(MakeExecutable());
    KINETIC_ASSIGN_OR_RETURN(const std::uint64_t created, CreateLinks());
    report_.files += created;
    report_.files_present += links_.size() - created;
    observer_->OnPhaseEnd(Phase::kCollect, FormatFiles(report_.files, report_.bytes));
    return report_;
  }

 private:
  Status Inspect(const StoredFile& wanted) {
    ObjectDownload download(*context_.store, context_.fs, wanted.object,
                            options_.folder / wanted.path);
    bool there = false;
    if (options_.existing != ExistingFile::kReplace) {
      KINETIC_ASSIGN_OR_RETURN(there, download.IsComplete());
    }
    const bool conflicts = options_.existing == ExistingFile::kKeepEqual && !there &&
                           context_.fs.Lstat(options_.folder / wanted.path).has_value() &&
                           !IsOurIgnoreFile(wanted.path);
    std::uint64_t left = 0;
    if (!there) {
      KINETIC_ASSIGN_OR_RETURN(left, download.RemainingBytes());
    }
    const std::lock_guard lock(mutex_);
    if (conflicts) conflicts_.push_back(wanted.path);
    total_ += left;
    if (there) {
      ++report_.files_present;
    } else {
      (download.IsLarge() ? large_ : small_).push_back(std::move(download));
    }
    return {};
  }

  /// Returns whether a path is the ignore file of an earlier fetch.
  bool IsOurIgnoreFile(const std::string& path) const {
    if (path != kIgnoreFile) return false;
    const auto text = ReadFile(context_.fs, options_.folder / path, kIgnoreAll.size());
    return text && *text == kIgnoreAll;
  }

  /// Finds local files that a link would replace.
  void FindLinkConflicts() {
    if (options_.existing != ExistingFile::kKeepEqual) return;
    for (const auto& [path, target] : links_) {
      const auto status = context_.fs.Lstat(options_.folder / path);
      if (!status) continue;
      const auto now = context_.fs.ReadLink(options_.folder / path);
      if (!now || *now != target) conflicts_.push_back(path);
    }
  }

  /// Fails if a local file would be lost.
  Status CheckConflicts() {
    if (conflicts_.empty()) return {};
    std::ranges::sort(conflicts_);
    const std::string first = Printable((options_.folder / conflicts_.front()).native());
    const std::string which =
        conflicts_.size() == 1
            ? first + " exists and differs from the stored output"
            : fmt::format("{} files exist and differ from the stored outputs, for example {}",
                          conflicts_.size(), first);
    return Fail(ErrorCode::kAlreadyExists, which + "; nothing was downloaded",
                "choose another folder, or replace the files: FetchOptions::replace");
  }

  Result<std::uint64_t> CreateLinks() {
    if (links_.empty()) return 0;
    KINETIC_ASSIGN_OR_RETURN(const auto confined, context_.fs.OpenConfined(options_.folder));
    return local::CreateOutputLinks(*confined, options_.folder, links_);
  }

  Status Fetch(ObjectDownload& download, std::stop_token stop) {
    const auto on_bytes = [this](std::uint64_t bytes) {
      const std::lock_guard lock(mutex_);
      report_.bytes += bytes;
      observer_->OnBytes(Phase::kCollect, report_.bytes, total_);
    };
    Status fetched = download.Fetch(on_bytes, std::move(stop));
    if (!fetched && options_.existing == ExistingFile::kReplace) (void)download.Discard();
    return fetched;
  }

  /// Lets those execute a file who may read it.
  Status MakeExecutable() {
    for (const auto& wanted : wanted_) {
      if (!wanted.kind.executable) continue;
      const Path path = options_.folder / wanted.path;
      KINETIC_ASSIGN_OR_RETURN(const FileStatus status, context_.fs.Lstat(path));
      const std::uint32_t mode = status.mode | (status.mode & 0444U) >> 2U;
      if (status.type != FileType::kRegular || mode == status.mode) continue;
      KINETIC_RETURN_IF_ERROR(context_.fs.SetMode(path, mode));
    }
    return {};
  }

  Context& context_;
  const FileDownload& options_;
  const std::map<std::string, std::string> links_;  ///< targets by path
  const std::vector<StoredFile> wanted_;
  Observer* observer_ = nullptr;
  std::mutex mutex_;
  std::vector<ObjectDownload> small_;  ///< missing files
  std::vector<ObjectDownload> large_;
  std::vector<std::string> conflicts_;  ///< paths of local files that differ
  std::uint64_t total_ = 0;
  FetchReport report_;
};

}  // namespace

Status CreateFetchedFolder(FileSystem& fs, const Path& folder,
                           const std::vector<StoredFile>& wanted) {
  const auto existing = fs.ReadDirectory(folder);
  KINETIC_RETURN_IF_ERROR(MakeDirectories(fs, folder));
  const bool has_own =
      std::ranges::any_of(wanted, [](const auto& one) { return one.path == kIgnoreFile; });
  if ((existing && !existing->empty()) || has_own) return {};
  return WriteFileAtomically(fs, folder / kIgnoreFile, kIgnoreAll);
}

std::string OutputLocation(const Context& context, std::string_view id) {
  return context.store->Location() + "/" + std::string(record::kOutputPrefix) + std::string(id);
}

Result<std::vector<OutputFile>> ListOutputs(Context& context, std::string_view id,
                                            std::stop_token stop) {
  KINETIC_ASSIGN_OR_RETURN(auto found, FindOutputs(*context.store, id, stop));
  std::vector<OutputFile> files;
  files.reserve(found.size());
  for (auto& one : found) {
    files.push_back({std::move(one.path), one.object.size_bytes, one.object.lease});
  }
  return files;
}

Result<FetchReport> FetchOutputs(Context& context, std::string_view id, const FetchOptions& options,
                                 std::stop_token stop) {
  if (options.folder.empty())
    return Fail(ErrorCode::kInvalidArgument,
                fmt::format("fetching the outputs of job {}: FetchOptions::folder is empty", id));
  KINETIC_ASSIGN_OR_RETURN(auto wanted, FindOutputs(*context.store, id, stop));
  KINETIC_RETURN_IF_ERROR(SelectPaths(wanted, options.paths, id));
  if (wanted.empty()) return FetchReport();
  KINETIC_RETURN_IF_ERROR(CreateFetchedFolder(context.fs, options.folder, wanted));
  return DownloadFiles(
      context,
      {.folder = options.folder,
       .observer = options.observer,
       .existing = options.replace ? ExistingFile::kReplaceDifferent : ExistingFile::kKeepEqual},
      std::move(wanted), stop);
}

Result<std::vector<StoredFile>> ListStoredFiles(store::Store& store, const std::string& prefix,
                                                const std::stop_token& stop) {
  std::vector<StoredFile> found;
  const auto take = [&](const store::ObjectInfo& info) -> Result<bool> {
    if (info.name.ends_with('/')) return Failure(store::DamageError(info));
    found.push_back(FileOf(info, prefix));
    return true;
  };
  KINETIC_RETURN_IF_ERROR(store.List(prefix, "", take, stop));
  return found;
}

Result<FetchReport> DownloadFiles(Context& context, const FileDownload& options,
                                  std::vector<StoredFile> files, const std::stop_token& stop) {
  return OutputFetch(context, options, std::move(files)).Run(stop);
}

Result<RemovedOutputs> RemoveOutputs(Context& context, std::string_view id,
                                     const std::vector<std::string>& paths, std::stop_token stop) {
  const std::string prefix = record::OutputName(id, "");
  KINETIC_ASSIGN_OR_RETURN(auto objects, store::ListAll(*context.store, prefix, stop));
  std::vector<StoredFile> found;
  for (const auto& object : objects) found.push_back(FileOf(object, prefix));
  KINETIC_RETURN_IF_ERROR(SelectPaths(found, paths, id));
  objects.clear();
  RemovedOutputs removed;
  for (StoredFile& output : found) {
    ++removed.files;
    removed.bytes += output.object.size_bytes;
    objects.push_back(std::move(output.object));
  }
  KINETIC_RETURN_IF_ERROR(context.store->RemoveAll(objects, std::move(stop)));
  return removed;
}

}  // namespace kinetic::job

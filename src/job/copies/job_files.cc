#include "job/copies/job_files.h"

#include "kinetic/try.h"

#include "base/strings.h"
#include "job/copies/exchange.h"
#include "job/copies/local_paths.h"
#include "job/lifecycle/outcome.h"
#include "job/outputs/fetch.h"
#include "job/summary.h"
#include "local/copies.h"
#include "local/job_path.h"
#include "record/object_names.h"

#include <fmt/format.h>

#include <algorithm>
#include <atomic>
#include <filesystem>
#include <iterator>
#include <set>
#include <system_error>
#include <utility>
#include <vector>

namespace kinetic::job {
namespace {

using local::JobPath;

Observer& ObserverOf(const CopyOptions& options) {
  static Observer silent;
  return options.observer == nullptr ? silent : *options.observer;
}

bool IsEntryHere(const Path& path) {
  std::error_code ignored;
  return std::filesystem::exists(path, ignored);
}

/// Stored files: one, or those of a folder.
struct CopiedFiles {
  std::vector<StoredFile> stored;
  bool is_folder = false;
  bool are_outputs = false;  ///< all outputs or checkpoints, which are not for the next bundle
};

/// Writes stored files to `destination`.
Result<CopyReport> Download(Context& context, const CopyOptions& options, const Path& destination,
                            CopiedFiles files, const std::stop_token& stop) {
  auto& [stored, is_folder, are_outputs] = files;
  KINETIC_ASSIGN_OR_RETURN(const Path target,
                           CheckDestination(options.local, destination, is_folder));
  CopyReport report{.destination = destination.lexically_normal().native(), .is_folder = is_folder};
  FileDownload download{.folder = target,
                        .what = destination.filename(),
                        .observer = options.observer,
                        .existing = ExistingFile::kReplace};
  if (is_folder) {
    KINETIC_RETURN_IF_ERROR(are_outputs ? CreateFetchedFolder(context.fs, target, stored)
                                        : MakeDirectories(context.fs, target));
  } else {
    download.folder = target.has_parent_path() ? target.parent_path() : Path(".");
    stored.front().path = target.filename();
    stored.front().kind.link.clear();
  }
  report.files = stored.size();
  report.replaced = static_cast<std::uint64_t>(std::ranges::count_if(
      stored, [&](const StoredFile& file) { return IsEntryHere(download.folder / file.path); }));
  KINETIC_ASSIGN_OR_RETURN(const FetchReport fetched,
                           DownloadFiles(context, download, std::move(stored), stop));
  report.bytes = fetched.bytes;
  return report;
}

/// Follows the links to folders in a path.
std::string FollowLinks(const std::vector<StoredFile>& files, std::string path) {
  constexpr int kMaxLinks = 40;
  for (int links = 0; links < kMaxLinks; ++links) {
    const auto link = std::ranges::find_if(files, [&](const StoredFile& one) {
      return one.kind.links_folder && (path + "/").starts_with(one.path + "/");
    });
    if (link == files.end()) break;
    const auto destination = local::DestinationOf(link->path, link->kind.link);
    if (!destination) break;
    path.replace(0, link->path.size(), *destination);
  }
  return path;
}

/// Selects the outputs at or below a path and makes their paths relative to it.
CopiedFiles SelectBelow(std::vector<StoredFile> files, std::string path) {
  path = FollowLinks(files, std::move(path));
  const auto file = std::ranges::find(files, path, &StoredFile::path);
  if (file != files.end()) return {.stored = {*file}};
  if (path.empty()) return {.stored = std::move(files), .is_folder = true};
  const std::string folder = path + "/";
  std::erase_if(files, [&](const StoredFile& one) { return !one.path.starts_with(folder); });
  for (StoredFile& one : files) one.path.erase(0, folder.size());
  return {.stored = std::move(files), .is_folder = true};
}

/// Returns the hint for a path that is not in the outputs: the nearest file or folder.
std::string NearestOutput(const std::vector<StoredFile>& files, const std::string& path,
                          const std::string& id) {
  std::set<std::string> names;
  for (const StoredFile& file : files) {
    names.insert(file.path);
    for (std::size_t slash = file.path.find('/'); slash != std::string::npos;
         slash = file.path.find('/', slash + 1)) {
      names.insert(file.path.substr(0, slash));
    }
  }
  const auto nearest = Nearest(path, std::vector<std::string>(names.begin(), names.end()));
  if (nearest) return fmt::format("did you mean 'outputs/{}'?", Printable(*nearest));
  return "list the stored outputs: kinetic outputs ls " + id;
}

Result<CopyReport> CopyFromOutputs(Context& context, const JobSummary& job,
                                   const CopyOptions& options, const JobPath& path,
                                   const std::stop_token& stop) {
  if (path.place != JobPath::Place::kOutputs) {
    return Fail(
        ErrorCode::kFailedPrecondition,
        fmt::format("cannot copy {} from job {}: it has ended, and only its outputs are "
                    "kept",
                    path.path.empty() ? "the working folder" : Printable(options.job_path), job.id),
        fmt::format("copy an output: kinetic cp {}:outputs/PATH .", job.id));
  }
  const std::string name = path.path.empty() ? "outputs" : path.name();
  KINETIC_ASSIGN_OR_RETURN(const Path destination, DestinationFor(options.local, name));
  KINETIC_ASSIGN_OR_RETURN(auto files,
                           ListStoredFiles(*context.store, record::OutputName(job.id, ""), stop));
  if (files.empty()) {
    return Fail(ErrorCode::kNotFound, fmt::format("job {} has no stored outputs", job.id));
  }
  std::string hint = NearestOutput(files, path.path, job.id);
  CopiedFiles selected = SelectBelow(std::move(files), path.path);
  if (selected.stored.empty() || (path.names_folder && !selected.is_folder)) {
    return Fail(ErrorCode::kNotFound,
                fmt::format("job {} has no stored output {}", job.id, Printable(path.path)),
                std::move(hint));
  }
  selected.are_outputs = path.path.empty();
  return Download(context, options, destination, std::move(selected), stop);
}

/// Returns the files that the runner has stored, and checks that none is missing.
Result<CopiedFiles> FilesOf(Context& context, const std::string& prefix,
                            const record::CopyAnswer& answer, const std::stop_token& stop) {
  KINETIC_ASSIGN_OR_RETURN(auto files, ListStoredFiles(*context.store, prefix, stop));
  std::uint64_t bytes = 0;
  for (const StoredFile& file : files) bytes += file.object.size_bytes;
  const bool is_complete = files.size() == answer.files && bytes == answer.bytes &&
                           (answer.is_folder || files.size() == 1);
  if (is_complete) return CopiedFiles{std::move(files), answer.is_folder};
  return Fail(ErrorCode::kDataLoss, "the copied files were changed in the store",
              "run the same command again");
}

/// Returns the name of a source in a job, for a destination that is a folder.
std::string NameOf(const JobPath& path) {
  if (!path.path.empty()) return path.name();
  if (path.place == JobPath::Place::kOutputs) return "outputs";
  if (path.place == JobPath::Place::kCheckpoints) return "checkpoints";
  return {};
}

/// Removes the objects of a completed copy.
void RemoveObjects(Context& context, CopyExchange& exchange, const std::stop_token& stop) {
  const Status removed = exchange.Remove(stop);
  if (removed || stop.stop_requested()) return;
  context.Log(LogLevel::kWarning,
              "cannot remove the objects of the copy: " + removed.error().message);
}

}  // namespace

Result<CopyReport> CopyFromJob(Context& context, const JobSummary& job, const CopyOptions& options,
                               std::stop_token stop) {
  KINETIC_ASSIGN_OR_RETURN(const JobPath path, local::ParseJobPath(options.job_path));
  KINETIC_ASSIGN_OR_RETURN(const JobSummary now, Refresh(context, job, stop));
  if (IsTerminal(now.state)) return CopyFromOutputs(context, now, options, path, stop);
  KINETIC_ASSIGN_OR_RETURN(const Path destination, DestinationFor(options.local, NameOf(path)));
  KINETIC_ASSIGN_OR_RETURN(auto key, FindKey(context, job.id, stop));
  CopyExchange exchange(context, now, std::move(key), ObserverOf(options));
  KINETIC_RETURN_IF_ERROR(exchange.AwaitRunning(stop));
  KINETIC_ASSIGN_OR_RETURN(
      auto answer, exchange.Request({.path = local::EncodeObjectPath(options.job_path)}, stop));
  KINETIC_ASSIGN_OR_RETURN(auto files, FilesOf(context, exchange.Files(), answer, stop));
  files.are_outputs = path.path.empty() && (path.place == JobPath::Place::kOutputs ||
                                            path.place == JobPath::Place::kCheckpoints);
  KINETIC_ASSIGN_OR_RETURN(CopyReport report,
                           Download(context, options, destination, std::move(files), stop));
  report.skipped = std::move(answer.skipped);
  RemoveObjects(context, exchange, stop);
  return report;
}

Result<CopyReport> CopyToJob(Context& context, const JobSummary& job, const CopyOptions& options,
                             std::stop_token stop) {
  KINETIC_RETURN_IF_ERROR(local::ParseJobPath(options.job_path));
  KINETIC_ASSIGN_OR_RETURN(const JobSummary now, Refresh(context, job, stop));
  if (IsTerminal(now.state)) {
    return Fail(ErrorCode::kFailedPrecondition,
                fmt::format("cannot copy to job {}: it has ended: {}", job.id, Name(now.state)));
  }
  KINETIC_ASSIGN_OR_RETURN(LocalSource source, ScanSource(context.fs, options.local, stop));
  KINETIC_ASSIGN_OR_RETURN(auto key, FindKey(context, job.id, stop));
  Observer& observer = ObserverOf(options);
  CopyExchange exchange(context, now, std::move(key), observer);
  KINETIC_RETURN_IF_ERROR(exchange.AwaitRunning(stop));
  observer.OnPhaseBegin(Phase::kStage, source.name);
  std::atomic<std::uint64_t> done = 0;
  const auto on_copied = [&](std::uint64_t bytes) {
    done += bytes;
    observer.OnBytes(Phase::kStage, done, source.bytes);
  };
  KINETIC_ASSIGN_OR_RETURN(
      auto stored, local::StoreCopies(*context.store,
                                      {*source.fs, source.folder, source.files, source.is_folder},
                                      {exchange.Files(), on_copied}, stop));
  observer.OnPhaseEnd(Phase::kStage, FormatBytes(stored.bytes));
  KINETIC_ASSIGN_OR_RETURN(auto answer,
                           exchange.Request({.is_upload = true,
                                             .path = local::EncodeObjectPath(options.job_path),
                                             .name = local::EncodeObjectPath(source.name),
                                             .is_folder = source.is_folder},
                                            stop));
  if (answer.files != stored.files) {
    return Fail(ErrorCode::kDataLoss, "the copied files were changed in the store",
                "run the same command again");
  }
  std::ranges::move(stored.skipped, std::back_inserter(source.skipped));
  RemoveObjects(context, exchange, stop);
  return CopyReport{.destination = local::DecodeObjectPath(answer.path),
                    .is_folder = source.is_folder,
                    .files = stored.files,
                    .bytes = stored.bytes,
                    .skipped = std::move(source.skipped)};
}

}  // namespace kinetic::job

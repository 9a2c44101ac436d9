#include "runner/outcome/output_sync.h"

#include "kinetic/try.h"

#include "base/concurrency/parallel.h"
#include "base/strings.h"
#include "record/object_names.h"

#include <mutex>
#include <set>
#include <utility>

namespace kinetic::runner {
namespace {

constexpr std::size_t kOutputThreads = 8;

using local::ScannedOutput;

}  // namespace

OutputSync::OutputSync(JobStore::Dependencies deps, Locations locations)
    : deps_(deps), locations_(std::move(locations)) {}

Status OutputSync::Open(std::optional<std::uint32_t> user) {
  KINETIC_ASSIGN_OR_RETURN(
      files_, local::ProgramFiles::Open(deps_.fs, locations_.folder.parent_path(), user));
  return {};
}

/// Without a program the folder has not been opened, and is empty.
Result<local::OutputScan> OutputSync::Scan(const std::stop_token& stop) {
  if (!files_) return local::OutputScan();
  KINETIC_ASSIGN_OR_RETURN(auto scan, local::ScanOutputs(*files_, locations_.folder, stop));
  KINETIC_RETURN_IF_ERROR(local::SkipUnstorable(deps_.store, locations_.id, scan, stop));
  return scan;
}

void OutputSync::Observe(const std::vector<ScannedOutput>& files) {
  const SteadyTime now = deps_.clock.Steady();
  std::map<std::string, Seen> seen;
  for (const auto& file : files) {
    const auto before = seen_.find(file.path);
    const bool same = before != seen_.end() && before->second.file.IsSame(file);
    seen.emplace(file.path, Seen{file, same ? before->second.since : now});
  }
  seen_ = std::move(seen);
}

bool OutputSync::IsStored(const ScannedOutput& file) const {
  const auto stored = stored_.find(file.path);
  return stored != stored_.end() && stored->second.file.IsSame(file);
}

bool OutputSync::IsQuiet(const ScannedOutput& file) const {
  const auto seen = seen_.find(file.path);
  return seen != seen_.end() && deps_.clock.Steady() - seen->second.since >= kOutputQuiet;
}

/// Sends files; returns the first error that concerns one file only.
Result<std::optional<Error>> OutputSync::Send(const std::vector<ScannedOutput>& files,
                                              const std::stop_token& stop) {
  std::mutex mutex;
  std::optional<Error> failure;
  const auto send = [&](std::size_t i, const std::stop_token& stopped) -> Status {
    const ScannedOutput& file = files[i];
    std::optional<store::ObjectInfo> known;
    {
      const std::lock_guard lock(mutex);
      const auto stored = stored_.find(file.path);
      if (stored != stored_.end()) known = stored->second.info;
    }
    auto info = local::StoreOutput(deps_.store, {*files_, locations_.folder, locations_.id}, file,
                                   known, stopped);
    if (!info && !local::IsSingleFileError(info.error())) return Failure(std::move(info).error());
    const std::lock_guard lock(mutex);
    if (info) {
      // A file that changed meanwhile differs from this state and is sent again.
      stored_.insert_or_assign(file.path, Stored{file, *std::move(info)});
    } else if (!failure) {
      failure = std::move(info).error().Context("output " + Printable(file.path));
    }
    return {};
  };
  KINETIC_RETURN_IF_ERROR(ParallelFor(kOutputThreads, files.size(), stop, send));
  return failure;
}

Status OutputSync::Poll(std::stop_token stop) {
  KINETIC_ASSIGN_OR_RETURN(const auto scan, Scan(stop));
  Observe(scan.files);
  std::vector<ScannedOutput> ready;
  for (const auto& file : scan.files) {
    if (!IsStored(file) && IsQuiet(file)) ready.push_back(file);
  }
  KINETIC_ASSIGN_OR_RETURN(auto failure, Send(ready, stop));
  // The program may have removed the file meanwhile.
  if (failure && failure->code != ErrorCode::kNotFound) return Failure(*std::move(failure));
  return {};
}

std::vector<std::string> OutputSync::Skipped(std::stop_token stop) {
  auto scan = Scan(stop);
  return scan ? std::move(scan->skipped) : std::vector<std::string>();
}

Status OutputSync::RemoveDeleted(const std::vector<ScannedOutput>& files,
                                 const std::stop_token& stop) {
  std::set<std::string> existing;
  for (const auto& file : files) existing.insert(file.path);
  std::vector<std::string> deleted;
  for (const auto& [path, stored] : stored_) {
    if (!existing.contains(path)) deleted.push_back(path);
  }
  const auto remove = [&](std::size_t i, const std::stop_token& stopped) -> Status {
    const auto removed = deps_.store.RemoveIfUnchanged(stored_.at(deleted[i]).info, stopped);
    if (!removed) return Failure(removed.error());
    return {};
  };
  KINETIC_RETURN_IF_ERROR(ParallelFor(kOutputThreads, deleted.size(), stop, remove));
  for (const auto& path : deleted) stored_.erase(path);
  return {};
}

Result<local::OutputReport> OutputSync::Finish(std::stop_token stop) {
  KINETIC_ASSIGN_OR_RETURN(auto scan, Scan(stop));
  std::vector<ScannedOutput> changed;
  for (const auto& file : scan.files) {
    if (!IsStored(file)) changed.push_back(file);
  }
  local::OutputReport report;
  report.skipped = std::move(scan.skipped);
  report.failure = std::move(scan.failure);
  KINETIC_ASSIGN_OR_RETURN(auto failure, Send(changed, stop));
  if (!report.failure) report.failure = std::move(failure);
  for (const auto& file : scan.files) {
    if (!IsStored(file)) continue;
    ++report.files;
    report.bytes += stored_.at(file.path).info.size_bytes;
  }
  // After an incomplete scan, missing files are not necessarily deleted.
  if (!report.failure) KINETIC_RETURN_IF_ERROR(RemoveDeleted(scan.files, stop));
  return report;
}

}  // namespace kinetic::runner

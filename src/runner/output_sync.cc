#include "runner/output_sync.h"

#include "base/parallel.h"
#include "base/try.h"
#include "record/layout.h"

#include <mutex>
#include <set>
#include <utility>

namespace kinetic::runner {
namespace {

constexpr std::size_t kThreads = 8;

using local::ScannedOutput;

}  // namespace

OutputSync::OutputSync(Collector::Seams seams, Places places)
    : seams_(seams), places_(std::move(places)) {}

void OutputSync::Watch(const std::vector<ScannedOutput>& files) {
  const SteadyTime now = seams_.clock.Steady();
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
  return seen != seen_.end() && seams_.clock.Steady() - seen->second.since >= kOutputQuiet;
}

/// Sends files; returns the first error that is one file's own.
Result<std::optional<Error>> OutputSync::Send(const std::vector<ScannedOutput>& files,
                                              const std::stop_token& stop) {
  std::mutex mutex;
  std::optional<Error> refused;
  const auto send = [&](std::size_t i, const std::stop_token& stopped) -> Status {
    const ScannedOutput& file = files[i];
    std::optional<store::ObjectInfo> known;
    {
      const std::lock_guard lock(mutex);
      const auto stored = stored_.find(file.path);
      if (stored != stored_.end()) known = stored->second.info;
    }
    auto info = local::StoreFile(seams_.store, seams_.fs, places_.folder / file.path,
                                 record::OutputName(places_.id, local::ObjectPath(file.path)),
                                 known, stopped);
    if (!info && !local::IsOfOneFile(info.error())) return Failure(std::move(info).error());
    const std::lock_guard lock(mutex);
    if (info) {
      // What changed while it was sent differs from this, and is sent again.
      stored_.insert_or_assign(file.path, Stored{file, *std::move(info)});
    } else if (!refused) {
      refused = std::move(info).error();
    }
    return {};
  };
  KINETIC_RETURN_IF_ERROR(Parallel(kThreads, files.size(), stop, send));
  return refused;
}

Status OutputSync::Look(std::stop_token stop) {
  KINETIC_ASSIGN_OR_RETURN(const auto scan, local::ScanOutputs(seams_.fs, places_.folder, stop));
  Watch(scan.files);
  std::vector<ScannedOutput> ready;
  for (const auto& file : scan.files) {
    if (!IsStored(file) && IsQuiet(file)) ready.push_back(file);
  }
  KINETIC_ASSIGN_OR_RETURN(auto refused, Send(ready, stop));
  // One that was taken away meanwhile is no failure.
  if (refused && refused->code != ErrorCode::kNotFound) return Failure(*std::move(refused));
  return {};
}

Status OutputSync::RemoveGone(const std::vector<ScannedOutput>& files,
                              const std::stop_token& stop) {
  std::set<std::string> there;
  for (const auto& file : files) there.insert(file.path);
  std::vector<std::string> gone;
  for (const auto& [path, stored] : stored_) {
    if (!there.contains(path)) gone.push_back(path);
  }
  const auto remove = [&](std::size_t i, const std::stop_token& stopped) -> Status {
    const auto removed = seams_.store.RemoveIfUnchanged(stored_.at(gone[i]).info, stopped);
    if (!removed) return Failure(removed.error());
    return {};
  };
  KINETIC_RETURN_IF_ERROR(Parallel(kThreads, gone.size(), stop, remove));
  for (const auto& path : gone) stored_.erase(path);
  return {};
}

Result<local::OutputReport> OutputSync::Finish(std::stop_token stop) {
  KINETIC_ASSIGN_OR_RETURN(auto scan, local::ScanOutputs(seams_.fs, places_.folder, stop));
  std::vector<ScannedOutput> changed;
  for (const auto& file : scan.files) {
    if (!IsStored(file)) changed.push_back(file);
  }
  local::OutputReport report;
  report.left_out = std::move(scan.left_out);
  report.refused = std::move(scan.refused);
  KINETIC_ASSIGN_OR_RETURN(auto refused, Send(changed, stop));
  if (!report.refused) report.refused = std::move(refused);
  for (const auto& file : scan.files) {
    if (!IsStored(file)) continue;
    ++report.files;
    report.bytes += file.status.size_bytes;
  }
  // A folder that could not be read whole says nothing about what is gone.
  if (!report.refused) KINETIC_RETURN_IF_ERROR(RemoveGone(scan.files, stop));
  return report;
}

}  // namespace kinetic::runner

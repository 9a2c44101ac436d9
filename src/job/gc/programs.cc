#include "job/gc/programs.h"

#include "kinetic/try.h"

#include "base/files/file_lock.h"
#include "job/gc/garbage.h"
#include "job/summary.h"
#include "local/data_cache.h"
#include "local/runtime.h"
#include "native/protocol.h"
#include "record/task_id.h"

#include <chrono>
#include <cstdint>
#include <optional>
#include <set>
#include <string_view>
#include <utility>

namespace kinetic::job {
namespace {

/// How long a program is kept after the last job that used it started.
constexpr std::chrono::hours kProgramRetention{7 * 24};

/// The trees of the programs that active jobs use. nullopt: unknown, as a job is in another store.
using UsedPrograms = std::optional<std::set<std::string>>;

Result<UsedPrograms> FindUsedPrograms(Collection& gc) {
  KINETIC_ASSIGN_OR_RETURN(const auto active,
                           ActiveJobs(gc.context.fs, gc.context.options.state_dir));
  std::set<std::string> used;
  for (const std::string& id : active) {
    const auto record = ReadRecord(*gc.context.store, record::JobPart(id), gc.stop);
    if (!record || !*record) return UsedPrograms();
    const auto program = (*record)->data.find(std::string(native::kProgramFolder));
    if (program != (*record)->data.end()) used.insert(program->second.tree.Hex());
  }
  return UsedPrograms(std::move(used));
}

std::uint64_t SizeOfProgram(FileSystem& fs, const Path& folder) {
  const auto entries = local::ScanData(fs, folder);
  std::uint64_t bytes = 0;
  if (!entries) return bytes;
  for (const auto& entry : *entries)
    if (entry.status.type == FileType::kRegular) bytes += entry.status.size_bytes;
  return bytes;
}

/// Removes a program. A job that starts meanwhile finds that its list is missing, and unpacks it.
Status RemoveProgram(FileSystem& fs, const Path& folder) {
  KINETIC_RETURN_IF_ERROR(RemoveTree(fs, folder.native() + ".entries"));
  return RemoveTree(fs, folder);
}

}  // namespace

Result<std::vector<std::string>> ActiveJobs(FileSystem& fs, const Path& state_dir) {
  std::vector<std::string> active;
  const auto jobs = fs.ReadDirectory(local::JobsFolder(state_dir));
  if (!jobs && jobs.error().code == ErrorCode::kNotFound) return active;
  KINETIC_RETURN_IF_ERROR(jobs);
  for (const auto& job : *jobs) {
    KINETIC_ASSIGN_OR_RETURN(const bool held,
                             FileLock::IsHeld(fs, local::RuntimeOf(state_dir, job.name).Lock()));
    if (held) active.push_back(job.name);
  }
  return active;
}

Status CollectPrograms(Collection& gc) {
  FileSystem& fs = gc.context.fs;
  const Path folder = local::ProgramsFolder(gc.context.options.state_dir);
  const auto entries = fs.ReadDirectory(folder);
  if (!entries && entries.error().code == ErrorCode::kNotFound) return {};
  KINETIC_RETURN_IF_ERROR(entries);
  const auto retention = RetentionOf(gc.options, kProgramRetention);
  GarbageReport::Class found{.name = "programs", .why_kept = WhyKept("a running job", retention)};
  // While the lock is held, a job is unpacking a program.
  KINETIC_ASSIGN_OR_RETURN(const auto lock, FileLock::Try(fs, folder / "lock"));
  KINETIC_ASSIGN_OR_RETURN(const UsedPrograms used, FindUsedPrograms(gc));
  const WallTime before = gc.context.clock.Now() - retention;
  for (const auto& entry : *entries) {
    const Path program = folder / entry.name;
    const auto status = fs.Lstat(program);
    if (!status || status->type != FileType::kDirectory) continue;
    const std::uint64_t bytes = SizeOfProgram(fs, program);
    const bool is_unused =
        lock && used && !used->contains(entry.name) && status->ModifiedTime() < before;
    if (is_unused && !gc.options.dry_run) KINETIC_RETURN_IF_ERROR(RemoveProgram(fs, program));
    Count(found, bytes, is_unused);
    if (is_unused) gc.report.removed.push_back(program.native());
  }
  if (found.removed + found.kept > 0) gc.report.classes.push_back(std::move(found));
  return {};
}

}  // namespace kinetic::job

#include "runner/environment_fetch.h"

#include "base/try.h"
#include "local/processes.h"
#include "local/replace_file.h"
#include "runner/fetch_tree.h"

#include <linux/magic.h>
#include <sys/vfs.h>

#include <utility>

namespace kinetic::runner {
namespace {

constexpr std::uint64_t kMaxMarkBytes = 4096;

Path MarkOf(const Path& folder) {
  Path mark = folder;
  mark += ".complete";
  return mark;
}

/// What a complete folder is marked with. Nothing is forced to the disk, so what was complete
/// before the machine went down need not be so any more.
Result<std::string> MarkFor(const Digest& tree) {
  KINETIC_ASSIGN_OR_RETURN(const auto machine, local::IdentifyThisProcess(""));
  return tree.Hex() + " " + machine.boot_id + "\n";
}

}  // namespace

bool HasEnvironment(FileSystem& fs, const record::PodEnvironment& environment, const Path& folder) {
  const auto wanted = MarkFor(environment.tree);
  const auto there = ReadFile(fs, MarkOf(folder), kMaxMarkBytes);
  return wanted && there && *wanted == *there;
}

bool IsInMemory(const Path& folder) {
  struct statfs about{};
  return ::statfs(folder.c_str(), &about) == 0 && about.f_type == TMPFS_MAGIC;
}

Result<bundle::UnpackReport> FetchEnvironment(store::Store& store, FileSystem& fs,
                                              const record::PodEnvironment& environment,
                                              const Path& folder, FetchBoard::Fetch& shown,
                                              std::stop_token stop) {
  const Path mark = MarkOf(folder);
  KINETIC_ASSIGN_OR_RETURN(const std::string wanted, MarkFor(environment.tree));
  KINETIC_RETURN_IF_ERROR(RemoveTree(fs, mark));
  KINETIC_RETURN_IF_ERROR(RemoveTree(fs, folder));
  auto report = FetchTree(store, {fs, folder}, environment.tree, shown, std::move(stop));
  if (!report) return Failure(std::move(report).error().Context("fetching the environment"));
  KINETIC_RETURN_IF_ERROR(local::ReplaceFile(fs, mark, wanted, 0644));
  return report;
}

}  // namespace kinetic::runner

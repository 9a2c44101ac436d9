#include "kinetic/try.h"

#include "runner/diagnostics.h"
#include "runner/entry_points.h"
#include "runner/pod/shared_folder.h"

#include <filesystem>
#include <string>
#include <string_view>

namespace kinetic::runner {
namespace {

constexpr std::uint64_t kMaxProgramBytes = 256U << 20;
constexpr const char* kLauncherName = "kinetic-launcher";

/// Reads the launcher beside this executable, or beside argv[0] if a loader was started instead.
Result<std::string> ReadLauncher(FileSystem& fs, const Path& program) {
  std::error_code ignored;
  const Path self = std::filesystem::read_symlink("/proc/self/exe", ignored);
  auto found = ReadFile(fs, self.parent_path() / kLauncherName, kMaxProgramBytes);
  if (found || !program.has_parent_path()) return found;
  return ReadFile(fs, program.parent_path() / kLauncherName, kMaxProgramBytes);
}

Status InstallLauncher(FileSystem& fs, const Path& program, const Path& folder) {
  KINETIC_ASSIGN_OR_RETURN(const std::string launcher, ReadLauncher(fs, program));
  const Path bin = folder / "bin";
  KINETIC_RETURN_IF_ERROR(MakeDirectories(fs, bin, 0755));
  KINETIC_RETURN_IF_ERROR(MakePodFolder(fs, {local::Runtime{folder / "run"}}));
  const Path draft = bin / (std::string(kLauncherName) + ".new");
  KINETIC_ASSIGN_OR_RETURN(UniqueFd fd, fs.Open(draft, OpenMode::kTruncate, 0755));
  KINETIC_RETURN_IF_ERROR(fs.Write(fd.get(), launcher));
  fd.Reset();
  KINETIC_RETURN_IF_ERROR(fs.SetMode(draft, 0755));
  return fs.Rename(draft, bin / kLauncherName);
}

}  // namespace

int Install(const Path& program, const Path& folder) {
  const Status installed = InstallLauncher(PosixFileSystem(), program, folder);
  LogFailure("installing the launcher", installed);
  return installed ? 0 : 1;
}

}  // namespace kinetic::runner

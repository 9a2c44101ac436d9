#include "runner/give_folder.h"

#include "base/try.h"

#include <sys/stat.h>
#include <unistd.h>

#include <cerrno>
#include <filesystem>

namespace kinetic::runner {
namespace {

Status Give(const Path& path, const struct stat& to) {
  if (::lchown(path.c_str(), to.st_uid, to.st_gid) == 0) return {};
  return Failure(ErrnoError(errno, "giving the job", path));
}

}  // namespace

Status GiveFolders(const PodFolder& folder) {
  struct stat launcher{};
  if (::stat(folder.LauncherLock().c_str(), &launcher) < 0) {
    return Failure(ErrnoError(errno, "looking at", folder.LauncherLock()));
  }
  // Only root can, and only another user needs it.
  if (::geteuid() != 0 || launcher.st_uid == 0) return {};
  const local::Runtime& runtime = folder.runtime;
  for (const Path& top :
       {runtime.Work(), runtime.Home(), runtime.Temporary(), runtime.Output(), runtime.Exchange(),
        runtime.Data(), runtime.Checkpoints(), runtime.Compiled(), folder.Environment()}) {
    const Status given = Give(top, launcher);
    const bool may_be_absent = top == folder.Environment() || top == runtime.Compiled();
    if (!given && given.error().code == ErrorCode::kNotFound && may_be_absent) continue;
    KINETIC_RETURN_IF_ERROR(given);
    std::error_code failed;
    for (std::filesystem::recursive_directory_iterator entry(top, failed), end;
         !failed && entry != end; entry.increment(failed)) {
      KINETIC_RETURN_IF_ERROR(Give(entry->path(), launcher));
    }
    if (failed) return Failure(ErrnoError(failed.value(), "reading", top));
  }
  return {};
}

}  // namespace kinetic::runner

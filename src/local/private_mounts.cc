#include "local/private_mounts.h"

#include "kinetic/try.h"

#include "base/strings.h"

#include <fcntl.h>
#include <sched.h>
#include <sys/mount.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

#include <cerrno>
#include <iterator>
#include <set>
#include <string>
#include <string_view>
#include <system_error>
#include <utility>

namespace kinetic::local {
namespace {

bool WriteAll(const char* path, const std::string& text) {
  const int fd = ::open(path, O_WRONLY | O_CLOEXEC);
  if (fd < 0) return false;
  const bool written = ::write(fd, text.data(), text.size()) == static_cast<ssize_t>(text.size());
  ::close(fd);
  return written;
}

/// Lets overlays store their metadata without the attributes that only root may write.
constexpr std::string_view kUserAttributes = "userxattr,";

std::string Describe(int forbidden) {
  if (forbidden == EINVAL) return "its root is not a mount point, as in a chroot";
  if (::geteuid() == 0) return std::generic_category().message(forbidden);
  return "you are not root, and user namespaces are disabled";
}

Path FirstFolder(const Path& target) { return Path("/") / *std::next(target.begin()); }

/// Returns whether the target must be created in a new root.
Result<bool> IsMissing(FileSystem& fs, const Path& target) {
  std::error_code ignored;
  if (!target.has_relative_path())
    return Fail(ErrorCode::kFailedPrecondition, "data cannot replace the root of the machine");
  if (std::filesystem::exists(target, ignored)) return false;
  if (!fs.Lstat(FirstFolder(target))) return true;
  return Fail(ErrorCode::kFailedPrecondition,
              "this machine has no " + Printable(target.native()) + " to mount the data at");
}

}  // namespace

Status CheckMounts(FileSystem& fs, const std::vector<Path>& targets) {
  for (const Path& target : targets) {
    KINETIC_RETURN_IF_ERROR(IsMissing(fs, target));
  }
  const PrivateMounts none = PrivateMounts::Make(fs, {}, {}, {}).value();
  const int forbidden = none.Try();
  if (forbidden == 0) return {};
  return Fail(ErrorCode::kFailedPrecondition,
              "this machine allows no private mounts: " + Describe(forbidden));
}

bool CanMount(const Overlay& overlay) {
  constexpr std::size_t kMaxOptions = 4000;  // one page
  std::size_t size = 0;
  for (const Path& path : {overlay.content, overlay.folder, overlay.scratch}) {
    if (path.native().find_first_of(":,\\\"\n") != std::string::npos) return false;
    size += path.native().size();
  }
  return size < kMaxOptions;
}

int PrivateMounts::Try() const {
  const pid_t pid = ::fork();
  if (pid == 0) ::_exit(Enter());
  int status = 0;
  while (pid > 0 && ::waitpid(pid, &status, 0) != pid) {
    if (errno != EINTR) return errno;
  }
  if (pid < 0) return errno;
  return WIFEXITED(status) ? WEXITSTATUS(status) : EINTR;
}

Result<PrivateMounts> PrivateMounts::Make(FileSystem& fs, const std::vector<Overlay>& overlays,
                                          const std::vector<Mount>& mounts, const Path& root) {
  PrivateMounts made;
  made.user_map_ = std::to_string(::geteuid()) + " " + std::to_string(::geteuid()) + " 1\n";
  made.group_map_ = std::to_string(::getegid()) + " " + std::to_string(::getegid()) + " 1\n";
  for (const Overlay& overlay : overlays) made.AddOverlay(overlay);
  std::set<Path> missing;
  for (const Mount& mount : mounts) {
    KINETIC_ASSIGN_OR_RETURN(const bool is_missing, IsMissing(fs, mount.target));
    if (is_missing) missing.insert(mount.target);
  }
  if (!missing.empty()) {
    KINETIC_ASSIGN_OR_RETURN(const auto entries, fs.ReadDirectory("/"));
    made.AddRoot(entries, root);
  }
  const Path base = missing.empty() ? Path("/") : root;
  for (const Mount& mount : mounts) {
    const Path at = base / mount.target.relative_path();
    if (missing.contains(mount.target)) {
      KINETIC_ASSIGN_OR_RETURN(const FileStatus status, fs.Lstat(mount.source));
      made.AddParents(root, mount.target);
      const bool is_folder = status.type == FileType::kDirectory;
      made.steps_.push_back({is_folder ? Step::Kind::kFolder : Step::Kind::kFile, at.native()});
    }
    made.steps_.push_back({Step::Kind::kBind, at.native(), mount.source.native()});
  }
  if (!missing.empty()) made.steps_.push_back({Step::Kind::kRoot, root.native()});
  return made;
}

void PrivateMounts::AddOverlay(const Overlay& overlay) {
  // In a user namespace, root could no longer change the files of other users.
  needs_own_rights_ = ::geteuid() == 0;
  steps_.push_back({Step::Kind::kOverlay, overlay.folder.native(),
                    std::string(kUserAttributes) + "lowerdir=" + overlay.content.native() +
                        ",upperdir=" + overlay.folder.native() +
                        ",workdir=" + overlay.scratch.native()});
}

/// The new root has the folders and links of the present one.
void PrivateMounts::AddRoot(const std::vector<DirectoryEntry>& entries, const Path& root) {
  steps_.push_back({Step::Kind::kTmpfs, root.native()});
  for (const auto& entry : entries) {
    const Path at = root / entry.name;
    const Path from = Path("/") / entry.name;
    std::error_code ignored;
    if (entry.type == FileType::kSymlink) {
      steps_.push_back(
          {Step::Kind::kLink, at.native(), std::filesystem::read_symlink(from, ignored).native()});
    } else if (entry.type == FileType::kDirectory) {
      steps_.push_back({Step::Kind::kFolder, at.native()});
      steps_.push_back({Step::Kind::kBind, at.native(), from.native()});
    }
  }
}

void PrivateMounts::AddParents(const Path& root, const Path& target) {
  Path at = root;
  for (const Path& part : target.parent_path().relative_path()) {
    at /= part;
    steps_.push_back({Step::Kind::kFolder, at.native()});
  }
}

int PrivateMounts::Enter() const {
  if (::unshare(CLONE_NEWNS) != 0) {
    if (errno != EPERM || needs_own_rights_) return errno;
    if (::unshare(CLONE_NEWUSER | CLONE_NEWNS) != 0) return errno;
    if (!WriteAll("/proc/self/uid_map", user_map_) || !WriteAll("/proc/self/setgroups", deny_) ||
        !WriteAll("/proc/self/gid_map", group_map_)) {
      return errno;
    }
  }
  if (::mount(nullptr, "/", nullptr, MS_REC | MS_PRIVATE, nullptr) != 0) return errno;
  for (const Step& step : steps_) {
    if (const int failed = Execute(step); failed != 0) return failed;
  }
  return 0;
}

int PrivateMounts::Execute(const Step& step) {
  constexpr mode_t kMode = 0755;
  const char* path = step.path.c_str();
  int result = 0;
  switch (step.kind) {
    case Step::Kind::kTmpfs:
      result = ::mount("tmpfs", path, "tmpfs", MS_NOSUID | MS_NODEV, "mode=0755");
      break;
    case Step::Kind::kFolder:
      result = ::mkdir(path, kMode);
      if (result != 0 && errno == EEXIST) result = 0;
      break;
    case Step::Kind::kFile:
      result = ::mknod(path, S_IFREG | kMode, 0);
      break;
    case Step::Kind::kLink:
      result = ::symlink(step.source.c_str(), path);
      break;
    case Step::Kind::kBind:
      result = ::mount(step.source.c_str(), path, nullptr, MS_BIND | MS_REC, nullptr);
      break;
    case Step::Kind::kOverlay:
      result = ::mount("overlay", path, "overlay", MS_NODEV, step.source.c_str());
      // Kernels before 5.11 do not have the option and need it only for user namespaces.
      if (result != 0 && errno == EINVAL) {
        const char* options = step.source.c_str() + kUserAttributes.size();
        result = ::mount("overlay", path, "overlay", MS_NODEV, options);
      }
      break;
    case Step::Kind::kRoot:
      result = ::chroot(path);
      if (result == 0) result = ::chdir("/");
      break;
  }
  return result == 0 ? 0 : errno;
}

}  // namespace kinetic::local

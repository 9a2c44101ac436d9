#include "kinetic/try.h"

#include "oci/inspect/elf.h"
#include "pod/package_build_request.h"
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

constexpr const char* kCertificates = "/etc/ssl/certs/ca-certificates.crt";

class RunnerInstallation {
 public:
  RunnerInstallation(FileSystem& fs, const Path& program, const Path& folder)
      : fs_(fs), program_(program), folder_(folder) {}

  Status Run() {
    KINETIC_RETURN_IF_ERROR(Copy(program_, pod::kBuilderProgram, 0755));
    KINETIC_RETURN_IF_ERROR(CopyLibraries());
    KINETIC_RETURN_IF_ERROR(LinkLoader());
    return Copy(kCertificates, pod::kBuilderCertificates, 0644);
  }

 private:
  Status Copy(const Path& from, std::string_view to, std::uint32_t mode) {
    KINETIC_ASSIGN_OR_RETURN(const std::string bytes, ReadFile(fs_, from, kMaxProgramBytes));
    const Path path = folder_ / to;
    KINETIC_RETURN_IF_ERROR(MakeDirectories(fs_, path.parent_path(), 0755));
    KINETIC_ASSIGN_OR_RETURN(const UniqueFd fd, fs_.Open(path, OpenMode::kTruncate, mode));
    KINETIC_RETURN_IF_ERROR(fs_.Write(fd.get(), bytes));
    return fs_.SetMode(path, mode);
  }

  /// Copies the image's libraries, which are in lib/ beside bin/.
  Status CopyLibraries() {
    const Path libraries = program_.parent_path().parent_path() / "lib";
    KINETIC_ASSIGN_OR_RETURN(const auto entries, fs_.ReadDirectory(libraries));
    for (const auto& entry : entries) {
      const std::string to = std::string(pod::kBuilderLibraries) + "/" + entry.name;
      KINETIC_RETURN_IF_ERROR(Copy(libraries / entry.name, to, 0755));
    }
    return {};
  }

  Status LinkLoader() {
    KINETIC_ASSIGN_OR_RETURN(const std::string bytes, ReadFile(fs_, program_, kMaxProgramBytes));
    KINETIC_ASSIGN_OR_RETURN(const oci::Elf elf, oci::ReadElf(bytes, program_.native()));
    if (elf.interpreter.empty()) {
      return Fail(ErrorCode::kUnimplemented,
                  program_.native() + " is linked statically and has no loader");
    }
    const Path loader = folder_ / pod::kBuilderLoader;
    if (fs_.Lstat(loader)) KINETIC_RETURN_IF_ERROR(fs_.Unlink(loader));
    return fs_.MakeSymlink("lib/" + Path(elf.interpreter).filename().native(), loader);
  }

  FileSystem& fs_;
  const Path& program_;
  const Path& folder_;
};

}  // namespace

int Install(const Path& program, const Path& folder) {
  const Status installed = InstallLauncher(PosixFileSystem(), program, folder);
  LogFailure("installing the launcher", installed);
  return installed ? 0 : 1;
}

int InstallBuilder(const Path& program, const Path& folder) {
  const Status installed = RunnerInstallation(PosixFileSystem(), program, folder).Run();
  LogFailure("installing the runner", installed);
  return installed ? 0 : 1;
}

}  // namespace kinetic::runner

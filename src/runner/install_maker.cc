#include "runner/install_maker.h"

#include "base/try.h"
#include "oci/elf.h"
#include "pod/packages_request.h"
#include "runner/diagnostics.h"

#include <string>
#include <string_view>

namespace kinetic::runner {
namespace {

constexpr std::uint64_t kMaxFileBytes = 256U << 20;
constexpr const char* kCertificates = "/etc/ssl/certs/ca-certificates.crt";

class Installing {
 public:
  Installing(FileSystem& fs, const Path& program, const Path& folder)
      : fs_(fs), program_(program), folder_(folder) {}

  Status Run() {
    KINETIC_RETURN_IF_ERROR(Copy(program_, pod::kMakerProgram, 0755));
    KINETIC_RETURN_IF_ERROR(CopyLibraries());
    KINETIC_RETURN_IF_ERROR(LinkLoader());
    return Copy(kCertificates, pod::kMakerCertificates, 0644);
  }

 private:
  Status Copy(const Path& from, std::string_view to, std::uint32_t mode) {
    KINETIC_ASSIGN_OR_RETURN(const std::string bytes, ReadFile(fs_, from, kMaxFileBytes));
    const Path path = folder_ / to;
    KINETIC_RETURN_IF_ERROR(MakeDirectories(fs_, path.parent_path(), 0755));
    KINETIC_ASSIGN_OR_RETURN(const UniqueFd fd, fs_.Open(path, OpenMode::kTruncate, mode));
    KINETIC_RETURN_IF_ERROR(fs_.Write(fd.get(), bytes));
    return fs_.SetMode(path, mode);
  }

  /// Those of the image, which lie beside its programs.
  Status CopyLibraries() {
    const Path libraries = program_.parent_path().parent_path() / "lib";
    KINETIC_ASSIGN_OR_RETURN(const auto all, fs_.ReadDirectory(libraries));
    for (const auto& one : all) {
      const std::string to = std::string(pod::kMakerLibraries) + "/" + one.name;
      KINETIC_RETURN_IF_ERROR(Copy(libraries / one.name, to, 0755));
    }
    return {};
  }

  Status LinkLoader() {
    KINETIC_ASSIGN_OR_RETURN(const std::string bytes, ReadFile(fs_, program_, kMaxFileBytes));
    KINETIC_ASSIGN_OR_RETURN(const oci::Elf elf, oci::ReadElf(bytes, program_.native()));
    if (elf.interpreter.empty()) {
      return Fail(ErrorCode::kUnimplemented,
                  program_.native() + ": linked statically, and is to be started by its loader");
    }
    const Path loader = folder_ / pod::kMakerLoader;
    const auto there = fs_.Lstat(loader);
    if (there) KINETIC_RETURN_IF_ERROR(fs_.Unlink(loader));
    return fs_.MakeSymlink("lib/" + Path(elf.interpreter).filename().native(), loader);
  }

  FileSystem& fs_;
  const Path& program_;
  const Path& folder_;
};

}  // namespace

int InstallMaker(const Path& program, const Path& folder) {
  const Status installed = Installing(PosixFileSystem(), program, folder).Run();
  DiagnoseError("installing the runner", installed);
  return installed ? 0 : 1;
}

}  // namespace kinetic::runner

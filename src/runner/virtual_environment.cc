#include "runner/virtual_environment.h"

#include "base/try.h"
#include "runner/glibc_need.h"

#include <fmt/format.h>

#include <utility>

namespace kinetic::runner {
namespace {

Path PackagesOf(const OrderedEnvironment& environment) {
  return environment.root / "lib" / ("python" + environment.python) / "site-packages";
}

/// Packages that were built for another C library than the Python's would end in an error of the
/// dynamic linker, in the midst of the program.
Status CheckLibrary(FileSystem& fs, const OrderedEnvironment& environment, const PythonWish& wish,
                    const ImagePython& python) {
  KINETIC_ASSIGN_OR_RETURN(const auto need, FindGlibcNeed(fs, PackagesOf(environment)));
  if (!need || (python.glibc_minor && need->minor <= *python.glibc_minor)) return {};
  const std::string who =
      fmt::format("the Python of {} ({}) has ", NameOfImage(wish), python.path.native());
  if (python.glibc_minor) {
    return Fail(
        ErrorCode::kFailedPrecondition,
        fmt::format("{}glibc 2.{}, and {} is built for glibc 2.{}", who, *python.glibc_minor,
                    need->package, need->minor),
        fmt::format("let the profile name a newer image, such as python:{}-slim", wish.version));
  }
  return Fail(ErrorCode::kFailedPrecondition,
              fmt::format("{}another C library than glibc, as on Alpine, and {} is built for glibc",
                          who, need->package),
              fmt::format("let the profile name an image with glibc, such as python:{}-slim",
                          wish.version));
}

Status Link(FileSystem& fs, const std::string& target, const Path& path) {
  Status removed = fs.Unlink(path);
  if (!removed && removed.error().code != ErrorCode::kNotFound) return removed;
  return fs.MakeSymlink(target, path);
}

Status MakeFiles(FileSystem& fs, const OrderedEnvironment& environment, const ImagePython& python) {
  const Path bin = environment.root / "bin";
  KINETIC_RETURN_IF_ERROR(MakeDirectories(fs, bin, 0755));
  KINETIC_RETURN_IF_ERROR(Link(fs, python.base.native(), bin / "python"));
  for (const std::string& name : {std::string("python3"), "python" + environment.python}) {
    KINETIC_RETURN_IF_ERROR(Link(fs, "python", bin / name));
  }
  KINETIC_ASSIGN_OR_RETURN(const UniqueFd fd,
                           fs.Open(environment.root / "pyvenv.cfg", OpenMode::kTruncate, 0644));
  return fs.Write(fd.get(), fmt::format("home = {}\n"
                                        "include-system-site-packages = false\n"
                                        "version = {}\n"
                                        "executable = {}\n",
                                        python.base.parent_path().native(), python.release,
                                        python.base.native()));
}

}  // namespace

Status MakeVirtualEnvironment(FileSystem& fs, const OrderedEnvironment& environment,
                              const PythonWish& wish, std::stop_token stop) {
  KINETIC_ASSIGN_OR_RETURN(const ImagePython python, FindPythonFor(wish, std::move(stop)));
  KINETIC_RETURN_IF_ERROR(CheckLibrary(fs, environment, wish, python));
  Status made = MakeFiles(fs, environment, python);
  if (made) return {};
  Error error = std::move(made).error().Context("making the job's virtual environment");
  if (error.code == ErrorCode::kPermissionDenied) {
    error.hint =
        "the two containers of the pod have different users, and the collector is not root: give "
        "them one, by runAsUser of the pod";
  }
  return Failure(std::move(error));
}

void Activate(const OrderedEnvironment& environment, bool own_path,
              std::map<std::string, std::string>& variables) {
  variables["VIRTUAL_ENV"] = environment.root.native();
  if (own_path) return;
  std::string& path = variables["PATH"];
  path = (environment.root / "bin").native() + (path.empty() ? "" : ":" + path);
}

}  // namespace kinetic::runner

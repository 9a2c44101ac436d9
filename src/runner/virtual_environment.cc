#include "runner/virtual_environment.h"

#include "base/try.h"

#include <fmt/format.h>

#include <utility>

namespace kinetic::runner {
namespace {

constexpr std::uint64_t kMaxWheelBytes = 64U << 10;

Path PackagesOf(const OrderedEnvironment& environment) {
  return environment.root / "lib" / ("python" + environment.python) / "site-packages";
}

/// "numpy-2.1.0", the first package that was built for glibc; empty: none was.
///
/// @source  https://packaging.python.org/en/latest/specifications/binary-distribution-format
Result<std::string> BuiltForGlibc(FileSystem& fs, const OrderedEnvironment& environment) {
  constexpr std::string_view kEnd = ".dist-info";
  const Path packages = PackagesOf(environment);
  const auto entries = fs.ReadDirectory(packages);
  if (!entries && entries.error().code == ErrorCode::kNotFound) return std::string();
  KINETIC_RETURN_IF_ERROR(entries);
  std::string first;
  for (const auto& entry : *entries) {
    if (!entry.name.ends_with(kEnd)) continue;
    const auto wheel = ReadFile(fs, packages / entry.name / "WHEEL", kMaxWheelBytes);
    if (!wheel) continue;
    const bool built = wheel->find("-manylinux") != std::string::npos ||
                       wheel->find("-linux_") != std::string::npos;
    const std::string name = entry.name.substr(0, entry.name.size() - kEnd.size());
    if (built && (first.empty() || name < first)) first = name;
  }
  return first;
}

Status CheckLibrary(FileSystem& fs, const OrderedEnvironment& environment, const PythonWish& wish,
                    const ImagePython& python) {
  if (python.has_glibc) return {};
  KINETIC_ASSIGN_OR_RETURN(const std::string built, BuiltForGlibc(fs, environment));
  if (built.empty()) return {};
  return Fail(ErrorCode::kFailedPrecondition,
              fmt::format("the Python of {} ({}) has another C library than glibc, as on Alpine, "
                          "and {} is built for glibc",
                          NameOfImage(wish), python.path.native(), built),
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

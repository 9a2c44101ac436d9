#include "runner/program/virtual_environment.h"

#include "kinetic/try.h"

#include "base/manylinux.h"
#include "base/python/virtual_environment.h"
#include "base/strings.h"

#include <fmt/format.h>

#include <optional>
#include <string>
#include <string_view>
#include <utility>

namespace kinetic::runner {
namespace {

/// A package that needs glibc 2.`minor` or newer.
struct GlibcRequirement {
  std::string package;  ///< "numpy-2.1.0"
  int minor = 0;        ///< 0: any
};

constexpr std::uint64_t kMaxWheelBytes = 64U << 10;

/// Returns the glibc 2.x that a wheel platform tag needs; nullopt for a platform without glibc.
std::optional<int> GlibcOfPlatform(std::string_view platform) {
  if (platform.starts_with("linux_")) return 0;
  return GlibcMinorOf(platform);
}

/// Returns the lowest glibc 2.x of a wheel's platform tags, or nullopt if it does not need glibc.
std::optional<int> GlibcOfWheel(std::string_view wheel) {
  constexpr std::string_view kTag = "Tag: ";
  std::optional<int> least;
  for (const auto line : Split(wheel, '\n')) {
    if (!line.starts_with(kTag)) continue;
    const auto tag = Trim(line.substr(kTag.size()));
    for (const auto platform : Split(tag.substr(tag.rfind('-') + 1), '.')) {
      const auto need = GlibcOfPlatform(platform);
      if (!need) return std::nullopt;
      if (!least || *need < *least) least = need;
    }
  }
  return least;
}

/// Returns the package that needs the newest glibc by the tags of its WHEEL file, or nullopt if
/// none does.
///
/// @source  https://packaging.python.org/en/latest/specifications/binary-distribution-format
Result<std::optional<GlibcRequirement>> FindGlibcRequirement(FileSystem& fs,
                                                             const Path& site_packages) {
  constexpr std::string_view kEnd = ".dist-info";
  const auto entries = fs.ReadDirectory(site_packages);
  if (!entries && entries.error().code == ErrorCode::kNotFound)
    return std::optional<GlibcRequirement>();
  KINETIC_RETURN_IF_ERROR(entries);
  std::optional<GlibcRequirement> most;
  for (const auto& entry : *entries) {
    if (!entry.name.ends_with(kEnd)) continue;
    const auto wheel = ReadFile(fs, site_packages / entry.name / "WHEEL", kMaxWheelBytes);
    if (!wheel) continue;
    const auto need = GlibcOfWheel(*wheel);
    if (!need) continue;
    std::string package = entry.name.substr(0, entry.name.size() - kEnd.size());
    const bool is_more = !most || *need > most->minor;
    if (is_more || (*need == most->minor && package < most->package)) {
      most = {std::move(package), *need};
    }
  }
  return most;
}

Path PackagesOf(const PackageEnvironment& environment) {
  return environment.root / "lib" / ("python" + environment.python) / "site-packages";
}

/// Fails if packages do not match Python's C library. Importing them would fail in the dynamic
/// linker while the program runs.
Status CheckLibrary(FileSystem& fs, const PackageEnvironment& environment, const PythonQuery& query,
                    const ImagePython& python) {
  KINETIC_ASSIGN_OR_RETURN(const auto required, FindGlibcRequirement(fs, PackagesOf(environment)));
  if (!required || (python.glibc_minor && required->minor <= *python.glibc_minor)) return {};
  const std::string python_name =
      fmt::format("the Python of {} ({}) has ", DescribeImage(query), python.path.native());
  if (python.glibc_minor) {
    return Fail(
        ErrorCode::kFailedPrecondition,
        fmt::format("{}glibc 2.{}, but {} needs glibc 2.{}", python_name, *python.glibc_minor,
                    required->package, required->minor),
        fmt::format("set a newer image in the profile, such as python:{}-slim", query.version));
  }
  return Fail(
      ErrorCode::kFailedPrecondition,
      fmt::format("{}a C library other than glibc, as on Alpine, but {} needs glibc", python_name,
                  required->package),
      fmt::format("set an image with glibc in the profile, such as python:{}-slim", query.version));
}

Status ReplaceLink(FileSystem& fs, const std::string& target, const Path& path) {
  Status removed = fs.Unlink(path);
  if (!removed && removed.error().code != ErrorCode::kNotFound) return removed;
  return fs.MakeSymlink(target, path);
}

Status MakeFiles(FileSystem& fs, const PackageEnvironment& environment, const ImagePython& python) {
  const Path bin = environment.root / "bin";
  KINETIC_RETURN_IF_ERROR(MakeDirectories(fs, bin, 0755));
  KINETIC_RETURN_IF_ERROR(ReplaceLink(fs, python.base.native(), bin / "python"));
  for (const std::string& name : {std::string("python3"), "python" + environment.python}) {
    KINETIC_RETURN_IF_ERROR(ReplaceLink(fs, "python", bin / name));
  }
  KINETIC_ASSIGN_OR_RETURN(const UniqueFd fd,
                           fs.Open(environment.root / "pyvenv.cfg", OpenMode::kTruncate, 0644));
  KINETIC_RETURN_IF_ERROR(fs.Write(fd.get(), VirtualenvConfig(python.base, python.release)));
  KINETIC_RETURN_IF_ERROR(MakeDirectories(fs, PackagesOf(environment)));
  return AddTools(fs, environment.root, PackagesOf(environment),
                  fs.Lstat(PackagesOf(environment) / "pip").has_value());
}

}  // namespace

Status MakeVirtualEnvironment(FileSystem& fs, const PackageEnvironment& environment,
                              const PythonQuery& query, std::stop_token stop) {
  KINETIC_ASSIGN_OR_RETURN(const ImagePython python, FindMatchingPython(query, std::move(stop)));
  KINETIC_RETURN_IF_ERROR(CheckLibrary(fs, environment, query, python));
  Status made = MakeFiles(fs, environment, python);
  if (made) return {};
  Error error = std::move(made).error().Context("cannot create the job's virtual environment");
  if (error.code == ErrorCode::kPermissionDenied) {
    error.hint =
        "the pod's two containers run as different users and the collector is not root; set the "
        "same "
        "runAsUser for the whole pod";
  }
  return Failure(std::move(error));
}

Status AddTools(FileSystem& fs, const Path& root, const Path& packages, bool has_pip) {
  const auto write = [&](const Path& path, std::string_view text, std::uint32_t mode) -> Status {
    KINETIC_ASSIGN_OR_RETURN(const UniqueFd fd, fs.Open(path, OpenMode::kTruncate, mode));
    return fs.Write(fd.get(), text);
  };
  KINETIC_RETURN_IF_ERROR(write(root / "bin/activate",
                                "export VIRTUAL_ENV=" + ShellQuote(root.native()) +
                                    "\nexport PATH=\"$VIRTUAL_ENV/bin:$PATH\"\n",
                                0644));
  if (has_pip) return {};
  KINETIC_RETURN_IF_ERROR(write(packages / "pip.py", kPipModule, 0644));
  KINETIC_RETURN_IF_ERROR(write(root / "bin/pip", kPipProgram, 0755));
  return write(root / "bin/pip3", kPipProgram, 0755);
}

void DropRedirections(const std::map<std::string, std::string>& own,
                      std::map<std::string, std::string>& variables) {
  for (const char* const name :
       {"PYTHONHOME", "PIP_PREFIX", "PIP_PYTHON", "PIP_ROOT", "PIP_TARGET", "PIP_USER",
        "UV_PROJECT_ENVIRONMENT", "UV_PYTHON", "UV_SYSTEM_PYTHON", "UV_TARGET"}) {
    if (!own.contains(name)) variables.erase(name);
  }
}

void Activate(const PackageEnvironment& environment, bool keep_path,
              std::map<std::string, std::string>& variables) {
  variables["VIRTUAL_ENV"] = environment.root.native();
  if (keep_path) return;
  std::string& path = variables["PATH"];
  path = (environment.root / "bin").native() + (path.empty() ? "" : ":" + path);
}

}  // namespace kinetic::runner

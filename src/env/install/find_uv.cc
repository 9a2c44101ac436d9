#include "kinetic/try.h"

#include "base/files/temp_dir.h"
#include "base/strings.h"
#include "env/install/installer.h"
#include "env/python/version.h"

#include <array>
#include <utility>

namespace kinetic::env {
namespace {

/// The version installed where PATH has no uv, and its wheels for GNU and musl Linux on x86_64 and
/// aarch64: https://pypi.org/project/uv/#files
constexpr std::string_view kVersion = "0.13.9";
constexpr std::array<std::string_view, 4> kHashes{
    "d7f459fe4fd247d830351c75686d3996ace3c6f3f728eb0e85a30b7ada0cef19",
    "2c45530751517d6c3bbc69a19473f6effe47cce047bede01ffd8af7ea7b36b25",
    "ecb6028d79dc96fbeafffe5c8af62a7099487ebc05a701e76714eebcffd06375",
    "5435c5ce14a56431208ca0996416d310f1598e8c2c8ba707688985a16bb82dbe"};

/// Older versions on PATH are ignored, because they cannot write a pylock.toml.
const std::vector<std::int64_t> kOldest{0, 8};

std::string Pinned() { return "uv " + std::string(kVersion); }

Path OwnRoot(const ToolOptions& tools) {
  return tools.cache_dir / "tools" / ("uv-" + std::string(kVersion));
}

Path ProgramIn(const Path& root) { return root / "bin/uv"; }

Uv OwnUv(const ToolOptions& tools) {
  return {.path = ProgramIn(OwnRoot(tools)), .version = Pinned(), .is_own = true};
}

bool Exists(const Path& path) {
  std::error_code ignored;
  return std::filesystem::exists(path, ignored);
}

/// Returns the output of a program, or nullopt if it fails.
std::optional<std::string> OutputOf(std::vector<std::string> argv, const ToolOptions& tools,
                                    const std::stop_token& stop) {
  std::string output;
  Subprocess program;
  program.argv = std::move(argv);
  program.environment = ToolEnvironment(tools);
  program.search_path = tools.search_path;
  program.on_stdout = [&](std::string_view bytes) {
    if (output.size() < 4096) output += bytes;
  };
  const auto ended = Run(program, stop);
  if (!ended || !ended->Succeeded()) return std::nullopt;
  return output;
}

/// Returns the version of a uv executable, or an empty string. Runs each executable once.
std::string VersionOf(const Path& path, const ToolOptions& tools, const std::stop_token& stop) {
  PythonVersionCache cache(tools);
  const std::string identity = cache.Identity(path);
  std::string version = cache.Find(path, identity);
  if (!version.empty()) return version;
  const auto output = OutputOf({path.native(), "--version"}, tools, stop).value_or("");
  const auto words = Split(Trim(output), ' ');  // "uv 0.5.1 (…)"
  if (words.size() < 2) return version;
  version = words[1];
  cache.Store(path, identity, version);
  return version;
}

bool HasPip(const Interpreter& python, const ToolOptions& tools, const std::stop_token& stop) {
  return OutputOf({python.path.native(), "-m", "pip", "--version"}, tools, stop).has_value();
}

/// Python's message about a missing venv module names the system package.
Failure NoPip(const Interpreter& python, const InstallerLog& log) {
  const std::string package = "python" + python.Minor() + "-venv";
  return Fail(ErrorCode::kFailedPrecondition,
              "cannot install uv: Python " + python.version + " (" + python.path.native() +
                  ") has neither pip nor the modules to create a virtual environment",
              "install uv, or " + package + " (Debian and Ubuntu: 'apt install " + package +
                  "'); full log: " + log.path().native());
}

/// Installs uv into a folder.
class UvInstallation {
 public:
  UvInstallation(const Interpreter& python, const ToolOptions& tools, InstallerLog& log,
                 std::stop_token stop)
      : python_(python), tools_(tools), log_(log), stop_(std::move(stop)) {}

  Status Run(const Path& root) {
    log_.Write("installing " + Pinned() + "\n");
    KINETIC_RETURN_IF_ERROR(MakeDirectories(*tools_.fs, root));
    KINETIC_ASSIGN_OR_RETURN(const Path pip_python, PythonWithPip(root / "pip"));
    std::string requirement = "uv==" + std::string(kVersion);
    for (const auto hash : kHashes) requirement.append(" --hash=sha256:").append(hash);
    KINETIC_RETURN_IF_ERROR(
        WriteFileAtomically(*tools_.fs, root / "requirements.txt", requirement + "\n"));
    KINETIC_ASSIGN_OR_RETURN(
        const ExitStatus installed,
        RunLogged({pip_python.native(), "-m", "pip", "install", "--target", root.native(),
                   "--no-deps", "--only-binary", ":all:", "--require-hashes", "--progress-bar",
                   "off", "-r", (root / "requirements.txt").native()},
                  ToolEnvironment(tools_), root, log_, stop_));
    if (!installed.Succeeded() || !Exists(ProgramIn(root))) {
      Failure failure = InstallerFailure("cannot install " + Pinned(), log_);
      std::string& hint = failure.error().hint;
      if (failure.error().code == ErrorCode::kFailedPrecondition) {
        hint = "make it available in your package index, or install uv yourself; full log: " +
               log_.path().native();
      }
      return failure;
    }
    return RemoveTree(*tools_.fs, root / "pip");
  }

 private:
  Result<Path> PythonWithPip(const Path& folder) {
    if (HasPip(python_, tools_, stop_)) return python_.path;
    KINETIC_ASSIGN_OR_RETURN(const ExitStatus made,
                             RunLogged({python_.path.native(), "-I", "-m", "venv", folder.native()},
                                       ToolEnvironment(tools_), tools_.cache_dir, log_, stop_));
    if (!made.Succeeded()) return NoPip(python_, log_);
    return folder / "bin/python";
  }

  const Interpreter& python_;
  const ToolOptions& tools_;
  InstallerLog& log_;
  std::stop_token stop_;
};

}  // namespace

std::optional<Uv> FindInstalledUv(const ToolOptions& tools, const std::stop_token& stop) {
  if (const auto path = FindExecutable("uv", tools.search_path)) {
    const std::string version = VersionOf(*path, tools, stop);
    if (VersionNumbers(version) >= kOldest) return Uv{*path, "uv " + version, false};
  }
  Uv own = OwnUv(tools);
  if (!Exists(own.path)) return std::nullopt;
  return own;
}

Result<Uv> FindUv(const Interpreter& interpreter, const ToolOptions& tools, InstallerLog& log,
                  std::stop_token stop) {
  if (auto found = FindInstalledUv(tools, stop)) return *std::move(found);
  if (stop.stop_requested()) return Fail(ErrorCode::kCancelled, "stopped looking for uv");
  const Path root = OwnRoot(tools);
  Uv own = OwnUv(tools);
  const Path parent = tools.cache_dir / "tmp";
  KINETIC_RETURN_IF_ERROR(MakeDirectories(*tools.fs, parent));
  KINETIC_RETURN_IF_ERROR(MakeDirectories(*tools.fs, root.parent_path()));
  KINETIC_ASSIGN_OR_RETURN(const TempDir folder, TempDir::Make(*tools.fs, parent, "uv-"));
  const Path installed = folder.path() / "installed";
  KINETIC_RETURN_IF_ERROR(UvInstallation(interpreter, tools, log, stop).Run(installed));
  if (tools.fs->Rename(installed, root) || Exists(own.path)) return own;  // another process's
  KINETIC_RETURN_IF_ERROR(RemoveTree(*tools.fs, root));
  KINETIC_RETURN_IF_ERROR(tools.fs->Rename(installed, root));
  return own;
}

}  // namespace kinetic::env

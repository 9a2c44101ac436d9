#include "kinetic/try.h"

#include "base/random.h"
#include "base/strings.h"
#include "env/install/installer.h"
#include "env/pep/version.h"

#include <utility>

namespace kinetic::env {
namespace {

/// The first pip version with --python.
constexpr std::string_view kOldestPip = "22.3";
/// The pip version installed if the interpreter's own is older.
constexpr std::string_view kPrivatePip = "24.0";

/// Returns the second word of the output of `argv --version`, or an empty string.
std::string AskVersion(std::vector<std::string> argv, const ToolOptions& tools,
                       const std::stop_token& stop) {
  std::string output;
  Subprocess program;
  program.argv = std::move(argv);
  program.argv.emplace_back("--version");
  program.environment = InstallerEnvironment(tools, {}, {});
  program.search_path = tools.search_path;
  program.on_stdout = [&](std::string_view bytes) {
    if (output.size() < 4096) output += bytes;
  };
  const auto ended = Run(program, stop);
  if (!ended || !ended->Succeeded()) return {};
  const auto words = Split(Trim(output), ' ');
  return words.size() > 1 ? std::string(words[1]) : std::string();
}

bool IsRecent(const std::string& version) {
  const auto have = Version::Parse(version);
  return have && *have >= *Version::Parse(kOldestPip);
}

/// Python's message about a missing venv module names the system package.
Failure NoPip(const Interpreter& interpreter, const InstallerLog& log) {
  return Fail(ErrorCode::kFailedPrecondition,
              "Python " + interpreter.version + " (" + interpreter.path.native() +
                  ") has neither pip nor the modules to create a virtual environment",
              "install python" + interpreter.Minor() +
                  "-venv (Debian and Ubuntu: 'apt install python" + interpreter.Minor() +
                  "-venv'), or uv; the whole log: " + log.path().native());
}

/// A private virtual environment with a recent pip, one for each interpreter.
class PrivatePip {
 public:
  PrivatePip(const Interpreter& interpreter, const ToolOptions& tools, InstallerLog& log,
             std::stop_token stop)
      : interpreter_(interpreter),
        tools_(tools),
        log_(log),
        stop_(std::move(stop)),
        root_(tools.cache_dir / "tools" / ("pip-python" + interpreter.version)) {}

  Result<Installer> Get() {
    if (auto ready = At(root_); !ready.version.empty()) return ready;
    KINETIC_RETURN_IF_ERROR(MakeDirectories(*tools_.fs, root_.parent_path()));
    Path temporary = root_;
    temporary += "." + RandomId() + ".tmp";
    auto made = Make(temporary);
    if (!made) (void)RemoveTree(*tools_.fs, temporary);
    KINETIC_RETURN_IF_ERROR(made);
    // The target may be a complete environment of another process, or a broken one.
    if (!tools_.fs->Rename(temporary, root_)) {
      if (At(root_).version.empty()) {
        KINETIC_RETURN_IF_ERROR(RemoveTree(*tools_.fs, root_));
        KINETIC_RETURN_IF_ERROR(tools_.fs->Rename(temporary, root_));
      } else {
        (void)RemoveTree(*tools_.fs, temporary);
      }
    }
    auto ready = At(root_);
    if (ready.version.empty()) return NoPip(interpreter_, log_);
    return ready;
  }

 private:
  Installer At(const Path& root) const {
    std::vector<std::string> argv{(root / "bin/python").native(), "-m", "pip"};
    std::error_code ignored;
    if (!std::filesystem::exists(argv[0], ignored)) return {};
    const std::string version = AskVersion(argv, tools_, stop_);
    if (!IsRecent(version)) return {};
    return {false, std::move(argv), "pip " + version};
  }

  Status Make(const Path& root) {
    const auto environment = InstallerEnvironment(tools_, {}, {});
    KINETIC_ASSIGN_OR_RETURN(
        const ExitStatus made,
        RunLogged({interpreter_.path.native(), "-I", "-m", "venv", root.native()}, environment,
                  tools_.cache_dir, log_, stop_));
    if (!made.Succeeded()) return NoPip(interpreter_, log_);
    const std::vector<std::string> pip{(root / "bin/python").native(), "-m", "pip"};
    if (IsRecent(AskVersion(pip, tools_, stop_))) return {};
    auto upgrade = pip;
    upgrade.insert(upgrade.end(), {"install", "pip==" + std::string(kPrivatePip)});
    KINETIC_ASSIGN_OR_RETURN(const ExitStatus upgraded,
                             RunLogged(upgrade, environment, tools_.cache_dir, log_, stop_));
    if (!upgraded.Succeeded()) {
      return InstallerFailure("cannot upgrade pip for Python " + interpreter_.version, log_);
    }
    return {};
  }

  const Interpreter& interpreter_;
  const ToolOptions& tools_;
  InstallerLog& log_;
  std::stop_token stop_;
  Path root_;
};

/// Returns whether a virtual environment with pip can be created.
bool CanMakePip(const Interpreter& python, const ToolOptions& tools, const std::stop_token& stop) {
  Subprocess program;
  program.argv = {python.path.native(), "-I", "-c", "import ensurepip, venv"};
  program.environment = InstallerEnvironment(tools, {}, {});
  program.search_path = tools.search_path;
  const auto ended = Run(program, stop);
  return ended && ended->Succeeded();
}

}  // namespace

Result<bool> CanInstall(const ToolOptions& tools, std::stop_token stop) {
  const auto python = FindAnyPython(tools, stop);
  if (!python && python.error().code == ErrorCode::kNotFound) return false;
  KINETIC_RETURN_IF_ERROR(python);
  const bool can = FindExecutable("uv", tools.search_path) ||
                   IsRecent(AskVersion({python->path.native(), "-m", "pip"}, tools, stop)) ||
                   CanMakePip(*python, tools, stop);
  if (stop.stop_requested()) return Fail(ErrorCode::kCancelled, "stopped looking for pip");
  return can;
}

Result<Installer> FindInstaller(const Interpreter& interpreter, const ToolOptions& tools,
                                InstallerLog& log, std::stop_token stop) {
  if (const auto uv = FindExecutable("uv", tools.search_path)) {
    const std::string version = AskVersion({uv->native()}, tools, stop);
    if (!version.empty()) return Installer{true, {uv->native()}, "uv " + version};
  }
  Installer own{false, {interpreter.path.native(), "-m", "pip"}, ""};
  const std::string version = AskVersion(own.argv, tools, stop);
  if (IsRecent(version)) {
    own.version = "pip " + version;
    return own;
  }
  if (stop.stop_requested()) return Fail(ErrorCode::kCancelled, "stopped looking for pip");
  return PrivatePip(interpreter, tools, log, stop).Get();
}

}  // namespace kinetic::env

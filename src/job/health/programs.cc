#include "kinetic/health.h"
#include "kinetic/version.h"

#include "base/process/subprocess.h"
#include "base/strings.h"
#include "env/install/installer.h"
#include "env/python/interpreter.h"

#include <fmt/format.h>

#include <utility>

namespace kinetic::inline v0 {
namespace {

/// Returns the first line that `program --version` prints, or an empty string if it fails.
std::string VersionLine(const Path& program, const ClientOptions& options, std::stop_token stop) {
  constexpr std::size_t kLongest = 1024;
  std::string output;
  Subprocess version;
  version.argv = {program.native(), "--version"};
  version.environment = options.environment;
  version.search_path = options.search_path;
  version.on_stdout = [&](std::string_view bytes) {
    if (output.size() < kLongest) output += bytes;
  };
  const auto ended = Run(version, std::move(stop));
  if (!ended || !ended->Succeeded()) return {};
  return std::string(Trim(output.substr(0, output.find('\n'))));
}

/// Checks a program of kinetic's own, which must have the version of the library.
HealthCheck CheckOwn(std::string name, const Path& path, const std::string& use,
                     const ClientOptions& options, const std::stop_token& stop) {
  HealthCheck check{.name = std::move(name), .path = path.native()};
  const auto failed = [&](std::string evidence) {
    check.health = Health::kFailed;
    check.evidence = std::move(evidence);
    check.advice = use + "; install kinetic again: ./scripts/install";
    return check;
  };
  std::error_code ignored;
  if (!std::filesystem::exists(path, ignored)) {
    check.path.clear();
    return failed(fmt::format("{} does not exist", path.native()));
  }
  check.version = VersionLine(path, options, stop);
  if (check.version.empty()) return failed(fmt::format("{} cannot be run", path.native()));
  if (check.version != Version())
    return failed(fmt::format("{} has version {}, but kinetic has version {}", path.native(),
                              check.version, Version()));
  check.evidence = fmt::format("{} at {}", check.version, path.native());
  return check;
}

env::ToolOptions ToolsOf(const ClientOptions& options) {
  return {.cache_dir = options.cache_dir,
          .search_path = options.search_path,
          .environment = options.environment};
}

HealthCheck CheckPython(const ClientOptions& options, const std::stop_token& stop) {
  HealthCheck check{.name = "python"};
  const auto python = env::FindPython(options.python, ToolsOf(options), stop);
  if (python) {
    check.version = python->version;
    check.path = python->path.native();
    check.evidence = fmt::format("{} at {}", check.version, check.path);
    return check;
  }
  const bool is_needed = options.profile.kind == TargetKind::kLocal;
  check.health = is_needed ? Health::kFailed : Health::kWarning;
  check.evidence = python.error().message;
  check.advice = "functions and jobs with packages cannot run on this machine";
  if (!python.error().hint.empty()) check.advice += "; " + python.error().hint;
  return check;
}

HealthCheck CheckUv(const ClientOptions& options, const std::stop_token& stop) {
  HealthCheck check{.name = "uv"};
  if (const auto uv = env::FindInstalledUv(ToolsOf(options), stop)) {
    check.version = uv->version.substr(std::string_view("uv ").size());
    check.path = uv->path.native();
    check.evidence = fmt::format("{} at {}", check.version, check.path);
    return check;
  }
  check.health = Health::kWarning;
  const auto broken = FindExecutable("uv", options.search_path);
  check.evidence = broken ? broken->native() + " cannot be run" : "missing: no uv on PATH";
  check.advice =
      "kinetic installs uv with pip when it first needs it; to install it yourself, see "
      "https://docs.astral.sh/uv/getting-started/installation";
  return check;
}

}  // namespace

std::string_view Name(Health health) {
  switch (health) {
    case Health::kGood:
      return "ok";
    case Health::kWarning:
      return "warning";
    case Health::kFailed:
      return "failed";
  }
  return "failed";
}

std::vector<HealthCheck> CheckPrograms(const ClientOptions& options, std::stop_token stop) {
  const Path launcher = options.runner.parent_path() / "kinetic-launcher";
  return {CheckOwn("runner", options.runner, "no job can run", options, stop),
          CheckOwn("launcher", launcher, "'kinetic image runner' cannot build the runner image",
                   options, stop),
          CheckPython(options, stop), CheckUv(options, stop)};
}

}  // namespace kinetic::inline v0

#include "env/install/installer.h"

#include "kinetic/try.h"

#include "base/random.h"
#include "base/strings.h"
#include "env/dependencies/uv_variables.h"
#include "env/install/missing_tool.h"
#include "env/install/pip_settings.h"

#include <algorithm>
#include <array>
#include <utility>

namespace kinetic::env {
namespace {

std::string FullUrls(const std::vector<std::string>& urls, const PrivateUrls& private_urls,
                     std::string_view separator) {
  std::vector<std::string> full;
  full.reserve(urls.size());
  for (const auto& url : urls) full.push_back(FullUrl(url, private_urls));
  return Join(full, separator);
}

/// Variables that affect the choice of packages or where they are installed.
constexpr std::array<std::string_view, 28> kDropped{"PYTHONPATH",
                                                    "PYTHONHOME",
                                                    "PYTHONSTARTUP",
                                                    "PYTHONSAFEPATH",
                                                    "VIRTUAL_ENV",
                                                    "PIP_TARGET",
                                                    "PIP_PREFIX",
                                                    "PIP_ROOT",
                                                    "PIP_USER",
                                                    "PIP_REQUIRE_VIRTUALENV",
                                                    "PIP_PYTHON",
                                                    "PIP_CONSTRAINT",
                                                    "PIP_REQUIREMENT",
                                                    "PIP_NO_BINARY",
                                                    "PIP_ONLY_BINARY",
                                                    "PIP_PRE",
                                                    "PIP_REPORT",
                                                    "PIP_NO_DEPS",
                                                    "PIP_QUIET",
                                                    "UV_COMPILE_BYTECODE",
                                                    "UV_PYTHON",
                                                    "UV_SYSTEM_PYTHON",
                                                    "UV_PROJECT_ENVIRONMENT",
                                                    "UV_TARGET",
                                                    "PIP_PLATFORM",
                                                    "PIP_PYTHON_VERSION",
                                                    "PIP_IMPLEMENTATION",
                                                    "PIP_ABI"};

}  // namespace

std::map<std::string, std::string> ToolEnvironment(const ToolOptions& tools) {
  auto environment = tools.environment;
  for (const auto name : kDropped) environment.erase(std::string(name));
  for (const auto name : UvResolutionVariables()) environment.erase(std::string(name));
  environment.try_emplace("PATH", tools.search_path);
  environment["PIP_NO_INPUT"] = "1";
  environment["PIP_DISABLE_PIP_VERSION_CHECK"] = "1";
  environment["PIP_NO_COLOR"] = "1";
  environment["PIP_ROOT_USER_ACTION"] = "ignore";
  environment["NO_COLOR"] = "1";
  environment["PYTHONNOUSERSITE"] = "1";
  environment["PYTHONUNBUFFERED"] = "1";
  return environment;
}

std::map<std::string, std::string> UvEnvironment(const Uv& uv, const ToolOptions& tools,
                                                 const IndexSettings& index,
                                                 const PrivateUrls& private_urls) {
  auto environment = ToolEnvironment(tools);
  if (uv.is_own) AddPipSettings(*tools.fs, environment);
  environment["UV_NO_PROGRESS"] = "1";
  // As pip does; uv trusts only its own list of certificates otherwise.
  if (!environment.contains("UV_NATIVE_TLS")) environment.try_emplace("UV_SYSTEM_CERTS", "1");
  if (!index.url.empty()) {
    environment.erase("UV_DEFAULT_INDEX");
    environment["UV_INDEX_URL"] = FullUrl(index.url, private_urls);
  }
  if (!index.extra_urls.empty()) {
    environment.erase("UV_INDEX");
    environment["UV_EXTRA_INDEX_URL"] = FullUrls(index.extra_urls, private_urls, " ");
  }
  if (!index.find_links.empty()) {
    const std::string links = FullUrls(index.find_links, private_urls, ",");
    std::string& all = environment["UV_FIND_LINKS"];
    all = all.empty() ? links : all + "," + links;
  }
  if (!index.trusted_hosts.empty()) {
    environment["UV_INSECURE_HOST"] = Join(index.trusted_hosts, " ");
  }
  return environment;
}

std::vector<std::string> FormatOptions(const IndexSettings& index) {
  std::vector<std::string> options;
  for (const auto& name : index.only_binary) options.insert(options.end(), {"--only-binary", name});
  if (index.no_index) options.emplace_back("--no-index");
  return options;
}

std::vector<std::string> PlatformOptions(const TargetPlatform& target) {
  return {"--python-version", target.python, "--python-platform",
          target.machine + "-manylinux_2_" + std::to_string(kPodGlibcMinor)};
}

Result<ExitStatus> RunLogged(std::vector<std::string> argv,
                             std::map<std::string, std::string> environment,
                             const Path& working_directory, InstallerLog& log,
                             std::stop_token stop) {
  Subprocess program;
  program.argv = std::move(argv);
  program.search_path = environment["PATH"];
  program.environment = std::move(environment);
  program.working_directory = working_directory;
  program.on_stdout = [&](std::string_view bytes) { log.Write(bytes); };
  program.on_stderr = program.on_stdout;
  return Run(program, std::move(stop));
}

Failure InstallerFailure(std::string_view what, InstallerLog& log) {
  const std::vector<std::string> lines = log.LastLines();
  const auto contains = [&](std::initializer_list<std::string_view> texts) {
    return std::any_of(texts.begin(), texts.end(),
                       [&](std::string_view text) { return log.Contains(text); });
  };
  ErrorCode code = ErrorCode::kFailedPrecondition;
  std::string hint = "full log: " + log.path().native();
  if (contains({"No space left on device"})) {
    code = ErrorCode::kResourceExhausted;
    hint = "free some disk space; " + hint;
  } else if (contains({"NewConnectionError", "Max retries exceeded", "Temporary failure in name",
                       "ConnectTimeoutError", "ReadTimeoutError", "error sending request",
                       "dns error", "Connection refused", "ProxyError"})) {
    code = ErrorCode::kUnavailable;
    hint = "cannot reach the package index; " + hint;
  } else if (contains({"401 Unauthorized", "403 Forbidden"})) {
    hint =
        "the package index rejects the login, or needs one: check the user and password in its "
        "URL, as in https://${USER}:${PASSWORD}@host/simple; " +
        hint;
  } else if (const auto tool = MissingTool(log)) {
    hint = "the build of a package needs " + *tool + ": install " + *tool +
           ", or set a version of the package or of `python:` for which there is a wheel; " + hint;
  } else if (contains({"Failed to build"})) {
    hint =
        "a package has no wheel for this Python and could not be built from source: set "
        "another version of the package or of `python:`; " +
        hint;
  } else if (contains({"No matching distribution found", "not found in the package registry",
                       "there is no version of", "no versions of"})) {
    hint = "check the name and version of the requirement; " + hint;
  }
  std::string message(what);
  for (const auto& line : lines) message += "\n  " + line;
  return Fail(code, std::move(message), std::move(hint));
}

}  // namespace kinetic::env

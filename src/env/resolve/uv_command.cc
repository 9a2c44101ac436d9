#include "env/resolve/uv_command.h"

#include "kinetic/try.h"

#include "base/process/subprocess.h"
#include "base/strings.h"
#include "env/dependencies/urls.h"

#include <utility>

namespace kinetic::env {
namespace {

constexpr std::string_view kAdded = "accelerator.in";

void Append(std::vector<std::string>& argv, std::vector<std::string> more) {
  for (auto& word : more) argv.push_back(std::move(word));
}

/// Returns the URL in "git+https://host/owner/name@revision#subdirectory=…".
std::string RepositoryOf(std::string_view url) {
  if (url.starts_with("git+")) url.remove_prefix(4);
  const auto path = url.find('/', url.find("://") + 3);
  return std::string(
      url.substr(0, path == std::string_view::npos ? path : url.find_first_of("@#", path)));
}

/// uv names the lock of a project in its message about the outdated lock of a script.
Error NamingScript(Error error, const std::string& script) {
  const auto replace = [&](std::string_view text, const std::string& by) {
    const auto at = error.message.find(text);
    if (at != std::string::npos) error.message.replace(at, text.size(), by);
  };
  replace("`uv.lock`", "`" + script + ".lock`");
  replace("`uv lock`", "`uv lock --script " + script + "`");
  return error;
}

/// Returns "https://user:password@host/".
std::string Origin(std::string_view url) {
  return std::string(url.substr(0, url.find('/', url.find("://") + 3) + 1));
}

/// git and ssh must not wait for input. Does not replace the command of ssh, because git's
/// configuration may contain one with the key of a repository.
void KeepGitFromAsking(std::map<std::string, std::string>& environment) {
  environment["GIT_TERMINAL_PROMPT"] = "0";
  environment["SSH_ASKPASS"] = "false";  // a program that fails
  environment["SSH_ASKPASS_REQUIRE"] = "force";
}

/// Adds a setting of git to those in the environment.
void AddGitConfig(std::map<std::string, std::string>& environment, const std::string& key,
                  const std::string& value) {
  std::string& count = environment["GIT_CONFIG_COUNT"];
  const auto index = ParseInt(count).value_or(0);
  environment["GIT_CONFIG_KEY_" + std::to_string(index)] = key;
  environment["GIT_CONFIG_VALUE_" + std::to_string(index)] = value;
  count = std::to_string(index + 1);
}

}  // namespace

UvCommands::UvCommands(const Manifest& manifest, const ToolOptions& tools,
                       const std::optional<TargetPlatform>& target, Path folder, InstallerLog& log,
                       std::stop_token stop)
    : manifest_(manifest),
      tools_(tools),
      target_(target),
      folder_(std::move(folder)),
      log_(log),
      stop_(std::move(stop)) {}

Status UvCommands::Find() {
  auto python = FindPython(manifest_.python, tools_, stop_);
  is_jobs_python_ = python.has_value();
  // For a pod, any Python will do.
  if (!python && target_) python = FindAnyPython(tools_, stop_);
  KINETIC_RETURN_IF_ERROR(python);
  python_ = *std::move(python);
  KINETIC_ASSIGN_OR_RETURN(uv_, FindUv(python_, tools_, log_, stop_));
  environment_ = UvEnvironment(uv_, tools_, manifest_.caller_index, manifest_.private_urls);
  environment_["UV_PYTHON_DOWNLOADS"] = "never";
  KeepGitFromAsking(environment_);
  environment_["SOURCE_DATE_EPOCH"] = "315532800";  // 1980, the first time in a wheel
  if (!manifest_.index.url.empty() && manifest_.caller_index.url.empty()) {
    for (const char* const name : {"UV_DEFAULT_INDEX", "UV_INDEX_URL"}) environment_.erase(name);
  }
  return {};
}

/// Passes the credentials of a repository to git, but not in its arguments.
void UvCommands::AddGitLogin(const std::string& repository) {
  for (const auto& [redacted, full] : manifest_.private_urls) {
    if (RepositoryOf(redacted) != repository) continue;
    AddGitConfig(environment_, "url." + Origin(RepositoryOf(full)) + ".insteadOf",
                 Origin(repository));
  }
}

Result<Path> UvCommands::WritePylock() {
  if (manifest_.kind == ManifestKind::kPylock) return manifest_.source;
  KINETIC_RETURN_IF_ERROR(WriteAdded());
  Path pylock = folder_ / "pylock.toml";
  auto argv = manifest_.IsExported() ? Export() : Compile();
  if (!manifest_.IsExported()) argv.emplace_back("--no-annotate");
  Append(argv, {"--format", "pylock.toml", "--no-header", "--output-file", pylock.native()});
  // uv also prints the file. `--quiet` would hide warnings, too.
  KINETIC_RETURN_IF_ERROR(Execute(std::move(argv), {.logs_stdout = false}));
  return pylock;
}

/// Writes a file with the requirements that have accelerator extras. For a script, writes a copy of
/// the script with the extras.
Status UvCommands::WriteAdded() {
  if (manifest_.added.empty()) return {};
  std::string text;
  if (manifest_.kind == ManifestKind::kScript) text = manifest_.files.front().text;
  for (const auto& [line, with_extra] : manifest_.added) {
    if (manifest_.kind != ManifestKind::kScript) {
      text += with_extra + "\n";
      continue;
    }
    for (const char quote : {'"', '\''}) {
      const auto at = text.find(quote + line + quote);
      if (at != std::string::npos) text.replace(at + 1, line.size(), with_extra);
    }
  }
  return WriteFileAtomically(*tools_.fs, folder_ / kAdded, text, 0600);
}

std::vector<std::string> UvCommands::Compile() const {
  std::vector<std::string> argv{uv_.path.native(), "pip", "compile",
                                manifest_.source.filename().native()};
  if (!manifest_.added.empty()) argv.push_back((folder_ / kAdded).native());
  Append(argv, {"--no-universal", "--python", python_.path.native()});
  if (target_) {
    Append(argv, PlatformOptions(*target_));
    Append(argv, {"--only-binary", ":all:"});
    for (const auto& name : manifest_.built) Append(argv, {"--no-binary", name});
  }
  for (const auto& extra : manifest_.extras) Append(argv, {"--extra", extra});
  for (const auto& group : manifest_.groups) Append(argv, {"--group", group});
  return argv;
}

std::vector<std::string> UvCommands::Export() const {
  std::vector<std::string> argv{uv_.path.native(), "export"};
  if (manifest_.kind == ManifestKind::kScript) {
    const Path script = manifest_.added.empty() ? manifest_.source : folder_ / kAdded;
    Append(argv, {"--script", script.native(), "--python", python_.path.native()});
    if (manifest_.is_lock) argv.emplace_back("--locked");
    return argv;
  }
  Append(argv, {"--no-default-groups", "--no-emit-project"});
  // To check that uv.lock matches pyproject.toml, uv needs a Python that the project allows.
  if (is_jobs_python_) {
    Append(argv, {"--locked", "--python", python_.path.native()});
  } else {
    argv.emplace_back("--frozen");
  }
  for (const auto& extra : manifest_.extras) Append(argv, {"--extra", extra});
  for (const auto& group : manifest_.groups) Append(argv, {"--group", group});
  return argv;
}

Result<std::vector<std::string>> UvCommands::Select(const Path& pylock) {
  std::vector<std::string> argv{uv_.path.native(), "pip",      "sync",
                                "--dry-run",       "--target", (folder_ / "none").native(),
                                "--offline",       "--python", python_.path.native()};
  if (target_) Append(argv, PlatformOptions(*target_));
  argv.push_back(pylock.native());
  std::string output;
  KINETIC_RETURN_IF_ERROR(Execute(std::move(argv), {.copy = &output}));
  std::vector<std::string> selected;
  for (auto line : Split(output, '\n')) {  // " + six==1.16.0"
    line = Trim(line);
    if (!line.starts_with("+ ")) continue;
    line.remove_prefix(2);
    selected.emplace_back(line.substr(0, line.find(' ')));
  }
  return selected;
}

Result<std::string> UvCommands::Annotate(const Lock& lock) {
  if (manifest_.kind == ManifestKind::kPylock) return std::string();
  KINETIC_RETURN_IF_ERROR(WriteAdded());
  std::vector<std::string> argv;
  if (manifest_.IsExported()) {
    argv = Export();
    Append(argv, {"--format", "requirements.txt", "--no-hashes"});
  } else {
    std::string pins;
    for (const auto& package : lock.packages) {
      if (package.url.empty()) pins += package.name + "==" + package.version + "\n";
    }
    const Path constraints = folder_ / "pins.txt";
    KINETIC_RETURN_IF_ERROR(WriteFileAtomically(*tools_.fs, constraints, pins, 0600));
    argv = Compile();
    Append(argv, {"--emit-index-annotation", "--constraints", constraints.native()});
  }
  Append(argv, {"--no-header", "--quiet"});
  auto offline = argv;
  offline.emplace_back("--offline");
  std::string output;
  if (Execute(std::move(offline), {.copy = &output})) return output;
  output.clear();
  KINETIC_RETURN_IF_ERROR(Execute(std::move(argv), {.copy = &output}));
  return output;
}

Result<Path> UvCommands::BuildWheel(const Path& project, const std::string& name) {
  const Path folder = folder_ / ("wheel-" + name);
  KINETIC_RETURN_IF_ERROR(
      Execute({uv_.path.native(), "build", "--wheel", "--python", python_.path.native(),
               "--out-dir", folder.native(), project.native()}));
  KINETIC_ASSIGN_OR_RETURN(const auto entries, tools_.fs->ReadDirectory(folder));
  for (const auto& entry : entries) {
    if (entry.name.ends_with(".whl")) return folder / entry.name;
  }
  return Fail(ErrorCode::kFailedPrecondition, "the build of " + name + " created no wheel");
}

Result<Path> UvCommands::CheckOut(const std::string& url, const std::string& commit) {
  Path folder = folder_ / ("git-" + commit);
  if (tools_.fs->Lstat(folder)) return folder;  // several packages come from one repository
  const std::string repository = url.starts_with("ssh://") ? url : RedactUrl(url);
  AddGitLogin(repository);
  const std::vector<std::string> git{"git", "-C", folder.native()};
  KINETIC_RETURN_IF_ERROR(Execute({"git", "clone", "--quiet", "--no-checkout", "--filter=blob:none",
                                   "--", repository, folder.native()}));
  for (const auto& words :
       {std::vector<std::string>{"checkout", "--quiet", "--detach", commit},
        std::vector<std::string>{"submodule", "--quiet", "update", "--init", "--recursive"}}) {
    std::vector<std::string> argv = git;
    Append(argv, words);
    KINETIC_RETURN_IF_ERROR(Execute(std::move(argv)));
  }
  return folder;
}

Status UvCommands::Execute(std::vector<std::string> argv, const Streams& streams) {
  Subprocess program;
  program.argv = std::move(argv);
  program.environment = environment_;
  program.search_path = environment_["PATH"];
  program.working_directory = manifest_.Folder();
  program.on_stderr = [&](std::string_view bytes) {
    log_.Write(bytes);
    if (streams.copy != nullptr) *streams.copy += bytes;
  };
  program.on_stdout = [&](std::string_view bytes) {
    if (streams.logs_stdout) program.on_stderr(bytes);
  };
  KINETIC_ASSIGN_OR_RETURN(const ExitStatus ended, Run(program, stop_));
  if (ended.Succeeded()) return {};
  const std::string what = "cannot resolve " + Printable(manifest_.source.filename().native()) +
                           " (" + uv_.version + ")";
  Failure failed =
      target_ ? PodInstallerFailure(what, *target_, log_) : InstallerFailure(what, log_);
  if (manifest_.kind != ManifestKind::kScript) return failed;
  return Failure(NamingScript(std::move(failed).error(), manifest_.source.filename()));
}

std::string UvCommands::Description() const {
  if (manifest_.kind == ManifestKind::kPylock) return uv_.version + " pip sync";
  return uv_.version + (manifest_.IsExported() ? " export" : " pip compile");
}

}  // namespace kinetic::env

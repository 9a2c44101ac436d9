#include "job/environment.h"

#include "base/strings.h"
#include "base/try.h"
#include "env/resolve.h"
#include "env/virtualenv.h"
#include "job/place.h"

#include <fmt/format.h>

#include <algorithm>
#include <utility>

namespace kinetic::job {
namespace {

env::ToolOptions Tools(const Context& context) {
  return {.cache_dir = context.options.cache_dir,
          .search_path = context.options.search_path,
          .environment = context.options.environment,
          .fs = &context.fs,
          .clock = &context.clock};
}

std::unique_ptr<env::EnvironmentBuilder> Builder(const Context& context,
                                                 const env::Manifest& manifest) {
  return env::MakeVirtualenvBuilder(
      {.tools = Tools(context), .private_urls = manifest.private_urls});
}

/// Which variants of packages the job needs; on this machine it has no accelerator.
std::string AcceleratorCategory(const Context& context, const JobSpec& spec) {
  if (context.options.profile.kind == TargetKind::kLocal || spec.accelerators.empty()) return "cpu";
  switch (spec.accelerators.front().kind) {
    case AcceleratorKind::kGpu:
      return "gpu";
    case AcceleratorKind::kTpu:
      return "tpu";
    case AcceleratorKind::kCpu:
      break;
  }
  return "cpu";
}

std::optional<Path> IfFile(FileSystem& fs, Path path) {
  const auto status = fs.Lstat(path);
  if (!status || status->type == FileType::kDirectory) return std::nullopt;
  return path;
}

/// The Python program that a command line names: its first word that is a .py file.
std::optional<Path> ProgramOf(FileSystem& fs, const Command& command, const Path& root) {
  std::vector<std::string> words = command.argv;
  for (const auto word : Split(command.shell, ' ')) words.emplace_back(word);
  for (const auto& word : words) {
    if (!word.ends_with(".py")) continue;
    if (auto file = IfFile(fs, root / word)) return file;
  }
  return std::nullopt;
}

/// The file that may hold the job's inline script metadata (PEP 723).
std::optional<Path> ScriptOf(FileSystem& fs, const JobSpec& spec, const Path& root) {
  if (spec.run) return ProgramOf(fs, *spec.run, root);
  if (!spec.function) return std::nullopt;
  std::string module = spec.function->module;
  std::ranges::replace(module, '.', '/');
  for (const char* const folder : {"", "src"}) {
    for (const char* const suffix : {"/__init__.py", ".py"}) {
      if (auto file = IfFile(fs, root / folder / (module + suffix))) return file;
    }
  }
  return std::nullopt;
}

/// A file that the job names and that is not there is the job's mistake, and has a place in it.
Status CheckDependencyFile(FileSystem& fs, const JobSpec& spec) {
  if (!spec.dependencies.file) return {};
  const Path& file = *spec.dependencies.file;
  const auto status = fs.Lstat(file);
  const bool absent = !status && status.error().code == ErrorCode::kNotFound;
  if (!absent && (!status || status->type != FileType::kDirectory)) return {};
  const std::string_view key =
      spec.positions.contains("dependencies.file") ? "dependencies.file" : "dependencies";
  return Fail(
      ErrorCode::kInvalidArgument,
      PlaceOf(spec, key) + std::string(key) + ": found " + Printable(file.native()) +
          (absent ? ", which does not exist, expected a file" : ", a folder, expected a file"),
      "name a requirements.txt, pyproject.toml, uv.lock or script, or leave the key out: "
      "then it is found");
}

void SayLock(const Context& context, const env::Manifest& manifest,
             const env::ObtainedLock& obtained) {
  const auto& lock = obtained.lock;
  const std::string how = manifest.own_lock     ? "taken from " + lock.resolver
                          : manifest.Empty()    ? "empty: there are no dependencies"
                          : obtained.from_store ? "found in the store, resolved by " + lock.resolver
                                                : "resolved now by " + lock.resolver;
  context.Log(LogLevel::kDebug, fmt::format("lock {}: {}", lock.manifest_key.Hex(), how));
}

const std::string& WantedPython(const Context& context, const JobSpec& spec) {
  return spec.python.empty() ? context.options.python : spec.python;
}

}  // namespace

Result<std::optional<env::Interpreter>> FindJobPython(const Context& context, const JobSpec& spec,
                                                      std::stop_token stop) {
  auto found = env::FindPython(WantedPython(context, spec), Tools(context), std::move(stop));
  if (found) return std::optional(*std::move(found));
  if (!spec.python.empty() && !context.target->UsesImages()) {
    return Failure(std::move(found).error().Context(PlaceOf(spec, "python") + "python"));
  }
  // In an image there is another one.
  if (context.target->UsesImages()) return std::optional<env::Interpreter>();
  const bool needed = spec.function.has_value();
  if (needed || found.error().code != ErrorCode::kNotFound) {
    return Failure(std::move(found).error());
  }
  return std::optional<env::Interpreter>();
}

namespace {

Result<env::Manifest> ManifestOf(const Context& context, const JobSpec& spec, const Path& root,
                                 std::string python) {
  env::ManifestOptions options;
  options.spec = spec.dependencies;
  options.directory = spec.directory;
  options.bound = root;
  options.script = ScriptOf(context.fs, spec, root);
  options.python = std::move(python);
  options.platform = env::HostPlatform();
  options.accelerator = AcceleratorCategory(context, spec);
  options.environment = context.options.environment;
  KINETIC_RETURN_IF_ERROR(CheckDependencyFile(context.fs, spec));
  auto manifest = env::ReadManifest(context.fs, options);
  if (manifest) return manifest;
  return Failure(AtPlaceOf(spec, "dependencies", std::move(manifest).error()));
}

}  // namespace

Result<std::optional<std::string>> FindPackagesForImage(const Context& context, const JobSpec& spec,
                                                        const Path& root) {
  KINETIC_ASSIGN_OR_RETURN(
      const env::Manifest manifest,
      ManifestOf(context, spec, root, spec.python.empty() ? "3" : spec.python));
  if (manifest.kind == env::ManifestKind::kNone) return std::optional<std::string>();
  const std::string what(Name(manifest.kind));
  if (spec.image || !context.options.profile.kubernetes.image.empty()) {
    return std::optional("the dependencies (" + what +
                         ") are not installed: the image is used as it is");
  }
  return Fail(ErrorCode::kUnimplemented,
              PlaceOf(spec, "dependencies") + "dependencies: found " + what +
                  ", which this version of kinetic does not install on a cluster yet",
              "name an image that has them: image: registry/name:tag");
}

Result<JobEnvironment> ReadEnvironment(const Context& context, const JobSpec& spec,
                                       const Path& root,
                                       const std::optional<env::Interpreter>& python) {
  KINETIC_ASSIGN_OR_RETURN(env::Manifest manifest,
                           ManifestOf(context, spec, root, python ? python->Minor() : "3"));
  JobEnvironment environment;
  const bool none = manifest.kind == env::ManifestKind::kNone;
  if (spec.run && none && spec.python.empty()) return environment;
  if (!python) {
    return Fail(ErrorCode::kNotFound,
                "the job has dependencies (" + std::string(Name(manifest.kind)) +
                    ") and no Python is installed",
                "install python3, or uv, which brings its own");
  }
  environment.manifest = std::move(manifest);
  return environment;
}

Status FindEnvironment(Context& context, JobEnvironment& environment, std::stop_token stop) {
  if (!environment.manifest) return {};
  const env::Manifest& manifest = *environment.manifest;
  if (manifest.own_lock || manifest.Empty()) {  // nothing is asked of an index
    KINETIC_ASSIGN_OR_RETURN(auto lock, env::Resolve(manifest, Tools(context), nullptr, stop));
    environment.lock = env::ObtainedLock{std::move(lock), false};
  } else {
    KINETIC_ASSIGN_OR_RETURN(auto lock, env::FindLock(*context.store, manifest.Key(), stop));
    if (lock) environment.lock = env::ObtainedLock{*std::move(lock), true};
  }
  if (!environment.lock) return {};
  KINETIC_ASSIGN_OR_RETURN(
      environment.ready, Builder(context, manifest)->Find(environment.lock->lock, std::move(stop)));
  return {};
}

Status LockEnvironment(Context& context, JobEnvironment& environment, const LockRequest& request,
                       std::stop_token stop) {
  if (!environment.manifest) return {};
  const env::LockOptions options{
      .locked = request.locked, .relock = request.relock, .tools = Tools(context)};
  KINETIC_ASSIGN_OR_RETURN(environment.lock,
                           env::ObtainLock(*context.store, *environment.manifest, options,
                                           request.observer, std::move(stop)));
  SayLock(context, *environment.manifest, *environment.lock);
  return {};
}

Status MakeEnvironment(Context& context, JobEnvironment& environment, const LockRequest& request,
                       std::stop_token stop) {
  KINETIC_RETURN_IF_ERROR(LockEnvironment(context, environment, request, stop));
  if (!environment.lock) return {};
  KINETIC_ASSIGN_OR_RETURN(environment.ready,
                           Builder(context, *environment.manifest)
                               ->Ensure(environment.lock->lock, request.observer, std::move(stop)));
  context.Log(LogLevel::kDebug, fmt::format("environment {} {} {}", environment.ready->id,
                                            environment.ready->built ? "built in" : "found in",
                                            environment.ready->root.native()));
  return {};
}

}  // namespace kinetic::job

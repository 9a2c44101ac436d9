#include "job/environment/job_environment.h"

#include "kinetic/try.h"

#include "base/strings.h"
#include "job/bundle/job_bundle.h"
#include "job/context.h"
#include "jobspec/diagnostics.h"

#include <algorithm>
#include <utility>

namespace kinetic::job {
namespace {

std::optional<Path> IfFile(FileSystem& fs, Path path) {
  const auto status = fs.Lstat(path);
  if (!status || status->type == FileType::kDirectory) return std::nullopt;
  return path;
}

/// Returns the Python program of a command: the first word that is a .py file.
std::optional<Path> ProgramOf(FileSystem& fs, const Command& command, const Path& workdir) {
  std::vector<std::string> words = command.argv;
  for (const auto word : Split(command.shell, ' ')) words.emplace_back(word);
  for (const auto& word : words) {
    if (!word.ends_with(".py")) continue;
    if (auto file = IfFile(fs, workdir / word)) return file;
  }
  return std::nullopt;
}

/// Returns the file that may contain the job's inline script metadata (PEP 723).
///
/// @param workdir  the folder that the job runs in, on this machine.
std::optional<Path> ScriptOf(FileSystem& fs, const JobSpec& spec, const Path& root,
                             const Path& workdir) {
  if (spec.run) return ProgramOf(fs, *spec.run, workdir);
  if (!spec.function || spec.function->IsNative()) return std::nullopt;
  std::string module = spec.function->module;
  std::ranges::replace(module, '.', '/');
  for (const Path& folder : {workdir, root, root / "src"}) {
    for (const char* const suffix : {"/__init__.py", ".py"}) {
      if (auto file = IfFile(fs, folder / (module + suffix))) return file;
    }
  }
  return std::nullopt;
}

/// Checks that the dependency file exists. The error has a location in the job file.
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
      jobspec::KeyWithPosition(spec, key) + ": found " + Printable(file.native()) +
          (absent ? ", which does not exist, expected a file" : ", a folder, expected a file"),
      "set it to a requirements.txt, pyproject.toml, uv.lock or script, or remove the key to "
      "detect the file");
}

const std::string& WantedPython(const Context& context, const JobSpec& spec) {
  return spec.python.empty() ? context.options.python : spec.python;
}

}  // namespace

Result<std::optional<env::Interpreter>> FindJobPython(const Context& context, const JobSpec& spec,
                                                      std::stop_token stop) {
  if (spec.function && spec.function->IsNative()) return std::optional<env::Interpreter>();
  auto found =
      env::FindPython(WantedPython(context, spec), ToolOptionsOf(context), std::move(stop));
  if (found) return std::optional(*std::move(found));
  // The image contains its own interpreter.
  if (context.target->container_images() != nullptr) return std::optional<env::Interpreter>();
  if (!spec.python.empty()) {
    return Failure(std::move(found).error().Context(jobspec::KeyWithPosition(spec, "python")));
  }
  const bool needed = spec.function.has_value();
  if (needed || found.error().code != ErrorCode::kNotFound) {
    return Failure(std::move(found).error());
  }
  return std::optional<env::Interpreter>();
}

namespace {

Result<env::Manifest> ManifestOf(const Context& context, const JobSpec& spec, const Path& root,
                                 const std::optional<backend::BaseImage>& base,
                                 const std::optional<env::Interpreter>& python) {
  env::ManifestOptions options;
  options.spec = spec.dependencies;
  options.search_start = spec.directory;
  options.search_root = root;
  KINETIC_ASSIGN_OR_RETURN(const std::string workdir, ResolveWorkdir(spec, root));
  options.script = ScriptOf(context.fs, spec, root, (root / workdir).lexically_normal());
  options.python = base ? base->python : python ? python->Minor() : "3";
  options.platform = base ? base->platform : env::HostPlatform();
  if (base) options.base_image = base->image;
  options.for_pod = base && !base->is_given;
  options.accelerator = AcceleratorCategory(context, spec);
  options.variables = {context.options.environment, spec.secrets};
  KINETIC_RETURN_IF_ERROR(CheckDependencyFile(context.fs, spec));
  auto manifest = env::ReadManifest(context.fs, options);
  if (manifest) return manifest;
  return Failure(jobspec::WithKeyPosition(spec, "dependencies", std::move(manifest).error()));
}

}  // namespace

std::string DescribeEnvironment(std::size_t packages, bool built) {
  if (packages == 0) return "no packages";
  return std::to_string(packages) + (packages == 1 ? " package, " : " packages, ") +
         (built ? "built" : "unchanged");
}

std::string AcceleratorCategory(const Context& context, const JobSpec& spec) {
  if (!context.target->Traits().has_accelerators || spec.accelerators.empty()) return "cpu";
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

std::optional<backend::BaseImage> BaseImageOf(const Context& context, const JobSpec& spec) {
  const backend::ContainerImages* const images = context.target->container_images();
  return images != nullptr ? std::optional(images->BaseImageOf(spec)) : std::nullopt;
}

Result<JobEnvironment> ReadEnvironment(const Context& context, const JobSpec& spec,
                                       const Path& root,
                                       const std::optional<env::Interpreter>& python) {
  JobEnvironment environment;
  environment.base = BaseImageOf(context, spec);
  KINETIC_ASSIGN_OR_RETURN(env::Manifest manifest,
                           ManifestOf(context, spec, root, environment.base, python));
  const bool none = manifest.kind == env::ManifestKind::kNone;
  environment.warnings = manifest.warnings;
  if (environment.base) {
    if (none) return environment;
    if (environment.base->is_given) {
      environment.left_out = Name(manifest.kind);
      return environment;
    }
  } else {
    const bool is_python = spec.function && !spec.function->IsNative();
    if (!is_python && none && spec.python.empty()) return environment;
    if (!python) {
      return Fail(ErrorCode::kNotFound,
                  "the job has dependencies (" + std::string(Name(manifest.kind)) +
                      "), but no Python is installed",
                  "install python3, or install uv, which provides one");
    }
  }
  environment.manifest = std::move(manifest);
  environment.pod = spec.pod;
  return environment;
}

}  // namespace kinetic::job

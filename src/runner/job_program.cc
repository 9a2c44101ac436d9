#include "runner/job_program.h"

#include "base/strings.h"
#include "base/try.h"
#include "local/processes.h"
#include "runner/python_sources.h"
#include "spec/command_line.h"

#include <utility>

namespace kinetic::runner {
namespace {

Path ShimFolder(const local::Runtime& runtime) { return runtime.Exchange() / "kinetic_shim"; }

/// Whether `path` is `folder` or lies under it, by its text.
bool IsUnder(const Path& path, const Path& folder) {
  const auto [end, ignored] = std::mismatch(folder.begin(), folder.end(), path.begin(), path.end());
  return end == folder.end();
}

Result<Path> FindPython(const JobCall& call) {
  if (!call.request.python.empty()) return call.request.python;
  for (const char* name : {"python3", "python"}) {
    if (const auto found = FindExecutable(name, call.request.search_path)) return *found;
  }
  return Fail(ErrorCode::kNotFound, "no python3 in " + call.request.search_path,
              "a function job needs Python 3.9 or newer; install it, or name dependencies");
}

std::string SearchPath(const JobCall& call) {
  if (call.request.environment_root.empty()) return call.request.search_path;
  return (call.request.environment_root / "bin").native() + ":" + call.request.search_path;
}

std::string PythonPath(const JobCall& call) {
  std::string path = call.runtime.Work().native();
  std::error_code ignored;
  if (std::filesystem::is_directory(call.runtime.Work() / "src", ignored)) {
    path += ":" + (call.runtime.Work() / "src").native();
  }
  const auto own = call.record.spec.env.find("PYTHONPATH");
  if (own != call.record.spec.env.end() && !own->second.empty()) path += ":" + own->second;
  return path;
}

}  // namespace

Path DataPlace(const local::Runtime& runtime, std::string_view path) {
  const Path given(path);
  const Path place =
      given.is_absolute() ? runtime.Data() / given.relative_path() : runtime.Work() / given;
  return place.lexically_normal();
}

std::string ResolvePath(const JobCall& call, std::string_view path) {
  for (const auto& [folder, source] : call.record.spec.data) {
    if (!IsUnder(Path(path), Path(folder))) continue;
    const Path rest = Path(path).lexically_relative(Path(folder));
    const Path place = DataPlace(call.runtime, folder);
    return rest == "." ? place.native() : (place / rest).native();
  }
  return (call.runtime.Work() / path).lexically_normal().native();
}

std::map<std::string, std::string> JobEnvironment(const JobCall& call) {
  std::map<std::string, std::string> environment{{"HOME", call.runtime.Home().native()},
                                                 {"TMPDIR", call.runtime.Temporary().native()},
                                                 {"LANG", "C.UTF-8"},
                                                 {"LC_ALL", "C.UTF-8"},
                                                 {"PYTHONUTF8", "1"},
                                                 {"PYTHONUNBUFFERED", "1"},
                                                 {"PATH", SearchPath(call)}};
  if (!call.request.environment_root.empty()) {
    environment["VIRTUAL_ENV"] = call.request.environment_root.native();
  }
  for (const auto& [name, value] : call.record.spec.env) environment[name] = value;
  for (const auto& [name, value] : call.request.secrets) environment[name] = value;
  if (call.record.compiled) {  // unless the job has a place of its own for it
    environment.emplace("JAX_COMPILATION_CACHE_DIR", call.runtime.Compiled().native());
  }
  environment["PYTHONPATH"] = PythonPath(call);
  environment["PWD"] = call.runtime.Work().native();
  environment["KINETIC_JOB_ID"] = call.record.id;
  environment["KINETIC_ATTEMPT"] = std::to_string(call.attempt);
  environment["KINETIC_OUTPUT_DIR"] = call.runtime.Output().native();
  environment["KINETIC_OUTPUT_URI"] = call.output_uri;
  environment["KINETIC_CHECKPOINT_DIR"] = call.runtime.Checkpoints().native();
  environment["KINETIC_CHECKPOINT_URI"] = call.checkpoint_uri;
  environment["KINETIC_DATA_DIR"] = call.runtime.Data().native();
  environment["KINETIC_TASK_INDEX"] = "0";
  environment["KINETIC_HOST_INDEX"] = "0";
  environment["KINETIC_NUM_HOSTS"] = "1";
  environment[std::string(local::kNonceVariable)] = call.record.nonce;
  return environment;
}

Result<Program> JobProgram(const JobCall& call) {
  Program program;
  program.environment = JobEnvironment(call);
  program.working_directory = call.runtime.Work();
  const auto& spec = call.record.spec;
  if (spec.run) {
    program.argv = spec::CommandLine(
        *spec.run, call.arguments, [&](std::string_view path) { return ResolvePath(call, path); });
    return program;
  }
  if (!spec.function) {
    return Fail(ErrorCode::kUnimplemented, "the job has neither a function nor a command to run");
  }
  KINETIC_ASSIGN_OR_RETURN(const Path python, FindPython(call));
  program.control = true;
  program.argv = {python.native(),
                  "-u",
                  "-X",
                  "utf8",
                  ShimFolder(call.runtime).native(),
                  std::to_string(kControlDescriptor),
                  call.runtime.Exchange().native(),
                  spec.function->module,
                  spec.function->callable};
  return program;
}

Result<Path> WriteShim(FileSystem& fs, const local::Runtime& runtime) {
  Path folder = ShimFolder(runtime);
  KINETIC_RETURN_IF_ERROR(MakeDirectories(fs, folder, 0700));
  for (const auto& file : ShimFiles()) {
    KINETIC_ASSIGN_OR_RETURN(const UniqueFd fd,
                             fs.Open(folder / file.name, OpenMode::kTruncate, 0600));
    KINETIC_RETURN_IF_ERROR(fs.Write(fd.get(), file.content));
  }
  return folder;
}

}  // namespace kinetic::runner

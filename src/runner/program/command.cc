#include "runner/program/command.h"

#include "kinetic/try.h"

#include "base/hash/digest.h"
#include "base/strings.h"
#include "local/job_cache.h"
#include "local/process_identity.h"
#include "native/job_process.h"
#include "native/protocol.h"
#include "record/array_references.h"
#include "record/job_record.h"
#include "record/object_names.h"
#include "record/task_id.h"
#include "runner/program/python_sources.h"

#include <utility>

namespace kinetic::runner {
namespace {

/// An option of the dynamic loader.
constexpr std::string_view kLibraryPathFlag = "--library-path";

Path ShimFolder(const ProgramInputs& inputs) {
  if (inputs.request.state_dir.empty()) return inputs.runtime.Exchange() / "kinetic_shim";
  Sha256 content;
  for (const auto& file : ShimFiles()) content.Update(file.name).Update(file.content);
  constexpr std::size_t kNameLength = 32;
  return local::ShimsFolder(inputs.request.state_dir) /
         content.Finish().Hex().substr(0, kNameLength);
}

/// Returns whether `path` is `folder` or below it, lexically.
bool IsUnder(const Path& path, const Path& folder) {
  const auto [end, ignored] = std::mismatch(folder.begin(), folder.end(), path.begin(), path.end());
  return end == folder.end();
}

/// Returns the folder that the program starts in.
Path WorkingDirectory(const ProgramInputs& inputs) {
  const Path& folder = inputs.record.spec.workdir;
  return folder.empty() ? inputs.runtime.Work() : inputs.runtime.Work() / folder;
}

Result<Path> FindPython(const ProgramInputs& inputs) {
  if (!inputs.request.environment_root.empty()) {
    return inputs.runtime.VirtualEnvironment() / "bin/python";
  }
  if (!inputs.request.python.empty()) return inputs.request.python;
  for (const char* name : {"python3", "python"}) {
    if (const auto found = FindExecutable(name, inputs.request.search_path)) return *found;
  }
  return Fail(ErrorCode::kNotFound, "no python3 found in PATH (" + inputs.request.search_path + ")",
              "install Python 3.9 or newer, which a function job needs, or add dependencies to the "
              "job file");
}

std::string SearchPath(const ProgramInputs& inputs) {
  if (inputs.request.environment_root.empty()) return inputs.request.search_path;
  std::string path = (inputs.runtime.VirtualEnvironment() / "bin").native();
  for (const auto folder : Split(inputs.request.search_path, ':')) {
    // Programs of other virtual environments, such as the caller's, would use the packages there.
    std::error_code ignored;
    if (std::filesystem::exists(Path(folder) / "../pyvenv.cfg", ignored)) continue;
    path += ":" + std::string(folder);
  }
  return path;
}

/// Returns PYTHONPATH. The bundle's folders are not in the one of a function: modules there may
/// have names of the standard library's, which Python needs to start. The shim adds them
/// afterwards.
std::string PythonPath(const ProgramInputs& inputs) {
  const auto own = inputs.record.spec.env.find("PYTHONPATH");
  std::string last = own == inputs.record.spec.env.end() ? "" : own->second;
  if (inputs.record.spec.function) return last;
  std::string path = inputs.runtime.Work().native();
  std::error_code ignored;
  if (std::filesystem::is_directory(inputs.runtime.Work() / "src", ignored)) {
    path += ":" + (inputs.runtime.Work() / "src").native();
  }
  return last.empty() ? path : path + ":" + last;
}

/// Returns where the program finds a path argument: below the bundle, or below a `data:` path.
std::string ResolvePath(const ProgramInputs& inputs, std::string_view path) {
  for (const auto& [folder, source] : inputs.record.spec.data) {
    if (!IsUnder(Path(path), Path(folder))) continue;
    const Path rest = Path(path).lexically_relative(Path(folder));
    const Path place = DataPath(inputs.runtime, folder);
    return rest == "." ? place.native() : (place / rest).native();
  }
  return (inputs.runtime.Work() / path).lexically_normal().native();
}

/// Returns where the program reads an array. The file of the store, if the array was not fetched, has
/// not been verified.
Value ArrayFile(const record::ArrayReference& array, const ProgramInputs& inputs) {
  const Path fetched = inputs.runtime.Array(array.digest);
  std::error_code ignored;
  if (std::filesystem::exists(fetched, ignored)) return Value::Map{{"$path", fetched.native()}};
  const Path stored = Path(inputs.store) / record::NameOf(array, inputs.record);
  return Value::Map{{"$path", stored.native()}, {"sha256", array.digest.Hex()}};
}

/// Returns a value whose path arguments are those that the program sees.
Value Resolved(const Value& value, const ProgramInputs& inputs) {
  if (const auto* list = value.AsList()) {
    Value::List items;
    for (const auto& item : *list) items.push_back(Resolved(item, inputs));
    return items;
  }
  const auto* map = value.AsMap();
  if (map == nullptr) return value;
  if (const auto array = record::ReferredArray(value))
    return Value::Map{{"$npy", ArrayFile(*array, inputs)}};
  const Value* path = value.Find("$path");
  if (map->size() == 1 && path != nullptr && path->AsString() != nullptr) {
    return Value::Map{{"$path", ResolvePath(inputs, *path->AsString())}};
  }
  Value::Map members;
  for (const auto& [key, item] : *map) members.emplace_back(key, Resolved(item, inputs));
  return members;
}

Arguments Resolved(const Arguments& arguments, const ProgramInputs& inputs) {
  Arguments resolved;
  for (const auto& value : arguments.positional) {
    resolved.positional.push_back(Resolved(value, inputs));
  }
  for (const auto& [name, value] : arguments.named) {
    resolved.named.emplace_back(name, Resolved(value, inputs));
  }
  return resolved;
}

std::string Word(const Value& value, const PathResolver& resolve) {
  if (const auto* text = value.AsString()) return *text;
  const auto* map = value.AsMap();
  if (map == nullptr || map->size() != 1) return value.ToJson();
  const auto& [tag, content] = map->front();
  if (content.AsString() == nullptr) return value.ToJson();
  return tag == "$path" ? resolve(*content.AsString()) : *content.AsString();
}

void AddOption(std::vector<std::string>& words, const std::string& name, const Value& value,
               const PathResolver& resolve) {
  if (value.IsNull()) return;
  if (const auto* list = value.AsList()) {
    for (const auto& item : *list) AddOption(words, name, item, resolve);
    return;
  }
  const bool* flag = value.AsBool();
  if (flag != nullptr && !*flag) return;
  words.push_back("--" + name);
  if (flag == nullptr) words.push_back(Word(value, resolve));
}

/// Returns the command that calls a C++ function. The program has the loader and the libraries that
/// it was linked with, so that it runs in any image.
std::vector<std::string> NativeCommandLine(const ProgramInputs& inputs) {
  const Path folder = NativeProgramFolder(inputs.record, inputs.runtime, inputs.request.state_dir);
  std::vector<std::string> argv;
  const Path loader = folder / native::kLoaderName;
  std::error_code ignored;
  if (std::filesystem::exists(loader, ignored))
    argv = {loader.native(), std::string(kLibraryPathFlag),
            (folder / native::kLibrariesName).native()};
  argv.insert(argv.end(), {(folder / native::kProgramName).native(), std::string(native::kCallFlag),
                           std::to_string(kControlDescriptor), inputs.runtime.Exchange().native(),
                           inputs.record.spec.function->callable});
  return argv;
}

JobContext ContextOf(const ProgramInputs& inputs) {
  const auto task = record::ParseTaskId(inputs.record.id);
  const auto& array = inputs.record.spec.array;
  return {.id = std::string(record::JobPart(inputs.record.id)),
          .attempt = inputs.attempt,
          .output = inputs.runtime.Output(),
          .checkpoints = inputs.runtime.Checkpoints(),
          .data = inputs.runtime.Data(),
          .task = task ? task->task : 0,
          .tasks = array ? array->count : 1};
}

Status WriteExchange(FileSystem& fs, const ProgramInputs& inputs, std::string_view name,
                     std::string_view content) {
  KINETIC_ASSIGN_OR_RETURN(const UniqueFd fd,
                           fs.Open(inputs.runtime.Exchange() / name, OpenMode::kTruncate, 0600));
  return fs.Write(fd.get(), content);
}

}  // namespace

Path NativeProgramFolder(const record::Record& record, const local::Runtime& runtime,
                         const Path& state_dir) {
  const auto program = record.data.find(std::string(native::kProgramFolder));
  if (state_dir.empty() || program == record.data.end())
    return DataPath(runtime, native::kProgramFolder);
  return local::ProgramsFolder(state_dir) / program->second.tree.Hex();
}

void AddLibraryPath(Program& program) {
  const auto path = program.environment.find("LD_LIBRARY_PATH");
  if (path == program.environment.end() || path->second.empty()) return;
  if (program.argv.size() > 2 && program.argv[1] == kLibraryPathFlag)
    program.argv[2] += ":" + path->second;
}

Path DataPath(const local::Runtime& runtime, std::string_view path) {
  const Path given(path);
  const Path place =
      given.is_absolute() ? runtime.Data() / given.relative_path() : runtime.Work() / given;
  return place.lexically_normal();
}

std::map<std::string, std::string> JobEnvironment(const ProgramInputs& inputs) {
  std::map<std::string, std::string> environment{{"HOME", inputs.runtime.Home().native()},
                                                 {"TMPDIR", inputs.runtime.Temporary().native()},
                                                 {"LANG", "C.UTF-8"},
                                                 {"LC_ALL", "C.UTF-8"},
                                                 {"PYTHONUTF8", "1"},
                                                 {"PYTHONUNBUFFERED", "1"},
                                                 {"PATH", SearchPath(inputs)}};
  if (!inputs.request.environment_root.empty()) {
    environment["VIRTUAL_ENV"] = inputs.runtime.VirtualEnvironment().native();
  }
  for (const auto& [name, value] : inputs.record.spec.env) environment[name] = value;
  for (const auto& [name, value] : inputs.request.secrets) environment[name] = value;
  if (!inputs.request.job_cache.empty()) {  // `env:` takes precedence
    local::AddJobCache(inputs.request.job_cache, environment);
  }
  if (inputs.record.compiled) {  // `env:` takes precedence
    environment.emplace("JAX_COMPILATION_CACHE_DIR", inputs.runtime.Compiled().native());
  }
  if (std::string path = PythonPath(inputs); !path.empty()) {
    environment["PYTHONPATH"] = std::move(path);
  }
  environment["PWD"] = WorkingDirectory(inputs).native();
  environment["KINETIC_JOB_ID"] = record::JobPart(inputs.record.id);
  environment["KINETIC_ATTEMPT"] = std::to_string(inputs.attempt);
  environment["KINETIC_OUTPUT_DIR"] = inputs.runtime.Output().native();
  environment["KINETIC_OUTPUT_URI"] =
      inputs.store + "/" + std::string(record::kOutputPrefix) + inputs.record.id;
  environment["KINETIC_CHECKPOINT_DIR"] = inputs.runtime.Checkpoints().native();
  environment["KINETIC_CHECKPOINT_URI"] =
      inputs.store + "/" + std::string(record::kCheckpointPrefix) + inputs.record.id;
  environment["KINETIC_DATA_DIR"] = inputs.runtime.Data().native();
  const auto task = record::ParseTaskId(inputs.record.id);
  environment["KINETIC_TASK_INDEX"] = std::to_string(task ? task->task : 0);
  environment["KINETIC_NUM_TASKS"] =
      std::to_string(inputs.record.spec.array ? inputs.record.spec.array->count : 1);
  environment["KINETIC_HOST_INDEX"] = "0";
  environment["KINETIC_NUM_HOSTS"] = "1";
  environment[std::string(local::kNonceVariable)] = inputs.record.nonce;
  return environment;
}

std::vector<std::string> ArgumentWords(const Arguments& args, const PathResolver& resolve) {
  std::vector<std::string> words;
  for (const auto& value : args.positional) words.push_back(Word(value, resolve));
  for (const auto& [name, value] : args.named) AddOption(words, name, value, resolve);
  return words;
}

std::vector<std::string> CommandLine(const Command& command, const Arguments& args,
                                     const PathResolver& resolve) {
  const auto words = ArgumentWords(args, resolve);
  if (command.shell.empty()) {
    std::vector<std::string> argv = command.argv;
    argv.insert(argv.end(), words.begin(), words.end());
    return argv;
  }
  std::string line = command.shell;
  for (const auto& word : words) line += " " + ShellQuote(word);
  return {"/bin/sh", "-e", "-c", std::move(line)};
}

Result<Program> JobProgram(const ProgramInputs& inputs) {
  Program program;
  program.environment = JobEnvironment(inputs);
  program.working_directory = WorkingDirectory(inputs);
  const auto& spec = inputs.record.spec;
  if (spec.run) {
    program.argv = CommandLine(*spec.run, inputs.arguments,
                               [&](std::string_view path) { return ResolvePath(inputs, path); });
    return program;
  }
  if (!spec.function) {
    return Fail(ErrorCode::kUnimplemented, "the job has neither 'function' nor 'run'");
  }
  program.exchange = inputs.runtime.Exchange();
  if (spec.function->IsNative()) {
    program.argv = NativeCommandLine(inputs);
    return program;
  }
  KINETIC_ASSIGN_OR_RETURN(const Path python, FindPython(inputs));
  program.calls_python = true;
  program.argv = {python.native(),
                  "-u",
                  "-X",
                  "utf8",
                  (ShimFolder(inputs) / "__main__.py").native(),
                  std::to_string(kControlDescriptor),
                  inputs.runtime.Exchange().native(),
                  inputs.runtime.Work().native(),
                  spec.function->module,
                  spec.function->callable};
  return program;
}

Result<Program> PrepareProgram(FileSystem& fs, const ProgramInputs& inputs) {
  KINETIC_ASSIGN_OR_RETURN(Program program, JobProgram(inputs));
  // The bundle may lack the folder, if it is excluded.
  KINETIC_RETURN_IF_ERROR(MakeDirectories(fs, program.working_directory));
  if (program.exchange.empty()) return program;
  if (program.calls_python) {
    KINETIC_RETURN_IF_ERROR(WriteShim(fs, inputs));
  } else {
    KINETIC_RETURN_IF_ERROR(
        WriteExchange(fs, inputs, native::kContextFile, native::ToJson(ContextOf(inputs))));
  }
  KINETIC_RETURN_IF_ERROR(
      WriteExchange(fs, inputs, native::kArgumentsFile,
                    record::ArgumentsToJson(Resolved(inputs.arguments, inputs))));
  return program;
}

Result<Path> WriteShim(FileSystem& fs, const ProgramInputs& inputs) {
  Path folder = ShimFolder(inputs);
  KINETIC_RETURN_IF_ERROR(MakeDirectories(fs, folder, 0700));
  for (const auto& file : ShimFiles()) {
    const Path path = folder / file.name;
    const auto there = ReadFile(fs, path, file.content.size());
    if (there && *there == file.content) continue;
    KINETIC_RETURN_IF_ERROR(WriteFileAtomically(fs, path, file.content, 0600));
  }
  return folder;
}

}  // namespace kinetic::runner

#include "commands/submit/arguments.h"

#include "kinetic/job_file.h"
#include "kinetic/try.h"
#include "kinetic/value.h"

#include "command_line/command.h"
#include "commands/submit/near_file.h"
#include "commands/submit/program_command.h"
#include "context.h"
#include "output/text.h"
#include "settings/regular_file.h"

#include <fmt/format.h>

#include <algorithm>
#include <filesystem>
#include <optional>
#include <system_error>
#include <utility>

namespace kinetic::cli {
namespace {

constexpr std::size_t kMaxJobFileSize = 4 << 20;
constexpr std::string_view kDefaultJobFile = "job.yaml";

bool IsYamlName(std::string_view name) { return name.ends_with(".yaml") || name.ends_with(".yml"); }

/// Returns the function "module:name" if the word is "module.name" of a module in the folder.
std::optional<std::string> DottedFunction(const std::string& word,
                                          const std::filesystem::path& directory) {
  const std::size_t dot = word.rfind('.');
  if (dot == std::string::npos || word.find('/') != std::string::npos) return std::nullopt;
  std::string path = word.substr(0, dot);
  std::ranges::replace(path, '.', '/');
  std::error_code error;
  if (!std::filesystem::exists(directory / (path + ".py"), error)) return std::nullopt;
  return word.substr(0, dot) + ":" + word.substr(dot + 1);
}

/// Returns the file of the module "package.module", if it is in the folder.
std::optional<std::string> ModuleFile(const std::string& word,
                                      const std::filesystem::path& directory) {
  if (word.find('/') != std::string::npos) return std::nullopt;
  std::string path = word;
  std::ranges::replace(path, '.', '/');
  path += ".py";
  std::error_code error;
  if (!std::filesystem::exists(directory / path, error)) return std::nullopt;
  return path;
}

/// Returns how to run "FOLDER/module:function", whose module must be in the current directory.
std::optional<std::string> FunctionElsewhere(const std::filesystem::path& word,
                                             const std::filesystem::path& directory) {
  const std::string name = word.filename().native();
  const std::size_t colon = name.find(':');
  if (colon == std::string::npos || !word.has_parent_path()) return std::nullopt;
  const std::filesystem::path folder = word.parent_path();
  std::error_code error;
  if (!std::filesystem::exists(directory / folder / (name.substr(0, colon) + ".py"), error))
    return std::nullopt;
  return fmt::format("cd {} && kinetic run {}", folder.native(), name);
}

/// Returns whether only a shell runs the words of a text as they are meant: "make && ./run > log".
bool NeedsShell(std::string_view text) {
  return text.find(' ') != std::string_view::npos &&
         text.find_first_of("&|;<>$`*?(){}~#'\"\\") != std::string_view::npos;
}

/// Quotes a word for a shell.
std::string ShellQuoted(std::string_view text) {
  std::string quoted = "'";
  for (const char c : text) quoted += c == '\'' ? "'\\''" : std::string(1, c);
  return quoted + "'";
}

std::string NoFileHint(const std::string& name, const std::filesystem::path& directory) {
  if (NeedsShell(name))
    return "to run a line of a shell: kinetic run -- sh -c " + ShellQuoted(name);
  if (const auto function = FunctionElsewhere(name, directory))
    return fmt::format("to run the function: {}", *function);
  std::error_code error;
  if (std::filesystem::exists(directory / (name + ".py"), error))
    return fmt::format("to run the script: kinetic run {}.py", name);
  if (const auto function = DottedFunction(name, directory))
    return fmt::format("to run the function: kinetic run {}", *function);
  if (const auto script = ModuleFile(name, directory))
    return fmt::format(
        "to run the module as a script: kinetic run {}; to call a function of it: "
        "kinetic run {}:FUNCTION",
        *script, name);
  const bool is_file_name = name.find_first_of("./") != std::string::npos;
  if (const auto near = is_file_name ? NearFileHint(name, directory) : std::nullopt) return *near;
  if (IsYamlName(name)) return "'kinetic init' writes a job.yaml";
  if (name.find('/') != std::string::npos || name.ends_with(".sh"))
    return std::string(kMissingPathHint);
  return "to run a command without a job file: kinetic run -- " + name;
}

/// Rejects a notebook or a script, whose lines would be reported as invalid YAML.
Status CheckNoScript(const std::string& name, std::string_view text) {
  if (name.ends_with(".ipynb")) {
    return Fail(ErrorCode::kInvalidArgument, name + " is a notebook, not a job file",
                "to make a script of it: jupyter nbconvert --to script " + name);
  }
  if (!text.starts_with("#!") || IsYamlName(name)) return {};
  return Fail(ErrorCode::kInvalidArgument, name + " is a script, not a job file",
              fmt::format("to run the script: kinetic run ./{}", name));
}

Result<std::string> ReadJobFile(const std::filesystem::path& directory, const std::string& word,
                                JobInput needs) {
  const std::string named = SafeLine(word);
  if (word == "-")
    return Fail(ErrorCode::kInvalidArgument, "cannot read a job file from standard input",
                "write it to a file, and pass that file");
  auto text = ReadRegularFile(directory / word, named, kMaxJobFileSize + 1);
  if (!text && text.error().code == ErrorCode::kNotFound && needs == JobInput::kRequired)
    return Failure(std::move(text).error().Hint(NoFileHint(named, directory)));
  if (text && text->size() > kMaxJobFileSize)
    return Fail(
        ErrorCode::kInvalidArgument,
        fmt::format("cannot read {}: the file exceeds 4 MiB, the limit for job files", named),
        "pass large data in files, with $jsonl in args or with data:");
  if (text) KINETIC_RETURN_IF_ERROR(CheckNoScript(named, *text));
  return text;
}

/// Quotes a string so that YAML reads it back unchanged.
std::string Quoted(const std::string& text) { return Value(text).ToJson(); }

/// Leaves a number unquoted, so that a key that takes no number reports the type it expects.
std::string AsYaml(const std::string& text) {
  const bool number = !text.empty() && text.find_first_not_of("0123456789.") == std::string::npos;
  return number ? text : Quoted(text);
}

std::string AcceleratorsText(const std::vector<std::string>& names) {
  if (names.size() == 1) return Quoted(names.front());
  return Value(Value::List(names.begin(), names.end())).ToJson();
}

std::vector<JobFileShortcut> JobShortcuts(const JobArguments& job) {
  std::vector<JobFileShortcut> shortcuts;
  const auto add = [&](std::string_view option, std::string_view key,
                       const std::optional<std::string>& value, bool number = false) {
    if (!value) return;
    shortcuts.push_back(
        {std::string(option), std::string(key), number ? AsYaml(*value) : Quoted(*value)});
  };
  add("--name", "name", job.name);
  if (!job.accelerators.empty())
    shortcuts.push_back({"--accelerator", "accelerator", AcceleratorsText(job.accelerators)});
  add("--dependencies", "dependencies", job.dependencies);
  add("--root", "bundle.root", job.root);
  add("--cpu", "resources.cpu", job.cpu, true);
  add("--memory", "resources.memory", job.memory, true);
  add("--timeout", "timeouts.run", job.timeout, true);
  add("--array", "array.count", job.tasks, true);
  add("--parallel", "array.parallel", job.parallel, true);
  add("--max-failed", "array.max_failed", job.max_failed, true);
  add("--tasks-per-pod", "array.tasks_per_pod", job.tasks_per_pod, true);
  return shortcuts;
}

/// Adds the settings that are also keys of the job file.
std::vector<JobFileShortcut> Shortcuts(const JobArguments& job, const Settings& settings) {
  std::vector<JobFileShortcut> shortcuts = JobShortcuts(job);
  for (const auto& [id, key] :
       {std::pair(SettingId::kPython, "python"), std::pair(SettingId::kTarget, "target")})
    if (settings.Get(id).origin == Origin::kFlag)
      shortcuts.push_back({std::string(Info(id).flag), key, Quoted(settings.Text(id))});
  return shortcuts;
}

Failure MissingJob(const std::filesystem::path& directory) {
  std::error_code error;
  if (std::filesystem::exists(directory / "job.yml", error))
    return Fail(ErrorCode::kInvalidArgument, "nothing to run: this folder has no job.yaml",
                "to run the job file with the other name: kinetic run job.yml");
  return Fail(ErrorCode::kInvalidArgument, "nothing to run: this folder has no job.yaml",
              "specify what to run: 'kinetic run SCRIPT.py', 'kinetic run MODULE:FUNCTION' or "
              "'kinetic run -- PROGRAM'; 'kinetic init' writes a job.yaml");
}

/// Makes the paths of options independent of the folder that a program runs in.
JobArguments WithAbsolutePaths(JobArguments job, const Context& context) {
  for (auto* path : {&job.dependencies, &job.root})
    if (*path) *path = (context.process.directory / **path).lexically_normal().string();
  return job;
}

/// Makes the files of --over independent of the folder that a program runs in.
void MakeFilesAbsolute(std::vector<std::string>& over, const std::filesystem::path& directory) {
  for (std::string& text : over)
    if (text.find('=') == std::string::npos) text = (directory / text).lexically_normal().string();
}

/// Returns "train:fit" for "train.py:fit".
std::string FunctionName(const std::string& word) {
  constexpr std::string_view kSuffix = ".py";
  const std::size_t colon = word.find(':');
  std::string module = word.substr(0, colon);
  if (module.ends_with(kSuffix)) module.resize(module.size() - kSuffix.size());
  return module + word.substr(colon);
}

/// Returns whether a word names a function, module:callable, and not a file.
bool IsFunctionName(const std::string& word, const std::filesystem::path& directory) {
  std::error_code error;
  return word.find(':') != std::string::npos && word.find('/') == std::string::npos &&
         !std::filesystem::exists(directory / word, error);
}

/// Finds the job's file: the word, the job.yaml of the folder that it names, or that of the current
/// directory. Empty: none.
std::string FindJobFile(const std::string& word, const std::filesystem::path& directory) {
  std::error_code error;
  if (word.empty() || std::filesystem::path(word).lexically_normal() == ".")
    return std::filesystem::exists(directory / kDefaultJobFile, error)
               ? std::string(kDefaultJobFile)
               : std::string();
  if (!std::filesystem::is_directory(directory / word, error)) return word;
  return (std::filesystem::path(word) / kDefaultJobFile).lexically_normal().string();
}

}  // namespace

void AddJobArguments(Command& command, JobArguments& job) {
  command.Argument({.names = "JOB",
                    .doc = "Job file, folder with a job.yaml, or function (module:name); default: "
                           "the current directory's job.yaml",
                    .complete = CompletionKind::kFile},
                   job.file);
  AddJobChanges(command, job);
  command.Text({"--root", "DIR", "Folder to upload (default: found by its project marker)",
                CompletionKind::kFolder},
               job.root);
  command.Text(
      {"--dependencies", "FILE",
       "requirements.txt, pyproject.toml, uv.lock, or a script (default: found in the folder)",
       CompletionKind::kFile},
      job.dependencies);
}

void AddJobChanges(Command& command, JobArguments& job) {
  command.Texts({"--set", "KEY=VALUE", "Override a key of the job file, such as resources.cpu=4",
                 CompletionKind::kJobKey},
                job.set);
  command.Texts({"--arg", "NAME=VALUE", "Override an argument; the value is parsed as YAML"},
                job.args);
  command.Texts({"--env", "NAME[=VALUE]",
                 "Set an environment variable for the job; without VALUE, pass its current value"},
                job.env);
  command.Texts({"--secret", "NAME",
                 "Pass an environment variable to the job as a secret; '*' matches any characters"},
                job.secrets);
}

void AddJobShortcuts(Command& command, JobArguments& job) {
  command.Text({"--name", "NAME", "Name of the job"}, job.name);
  command.Texts({"--tag", "NAME=VALUE", "Add a tag, by which 'kinetic ps --tag' finds the job"},
                job.tags);
  command.Texts({"--accelerator", "NAME",
                 "Accelerator, or alternatives in order of preference; see 'kinetic accelerators'",
                 CompletionKind::kAccelerator},
                job.accelerators);
  command.Text({"--cpu", "N", "Number of processors"}, job.cpu);
  command.Text({"--memory", "SIZE", "Memory limit, such as 8Gi; a job that exceeds it is killed"},
               job.memory);
  command.Text({"--timeout", "TIME", "Time limit for the program, such as 90m"}, job.timeout);
}

void AddArrayOptions(Command& command, JobArguments& job) {
  command.Texts(
      {"--over", "NAME=VALUES",
       "Run a task for each value, such as lr=0.1,0.01 or seed=1..5, for each combination "
       "of the values of several names, or for each row of a .csv, .json or .jsonl FILE",
       CompletionKind::kFile},
      job.over);
  command.Text({"--array", "N", "Run N tasks, which read their index from KINETIC_TASK_INDEX"},
               job.tasks);
  command.Text({"--parallel", "N", "Maximum number of tasks that run at the same time"},
               job.parallel);
  command.Text(
      {"--max-failed", "N", "Number of failed tasks to tolerate; one more stops the array"},
      job.max_failed);
  command.Text({"--tasks-per-pod", "N", "Number of short tasks that share a pod"},
               job.tasks_per_pod);
}

JobFileOptions ChangesOf(const JobArguments& job, const Context& context) {
  return {.set = job.set,
          .shortcuts = JobShortcuts(job),
          .over = job.over,
          .args = job.args,
          .env = job.env,
          .secrets = job.secrets,
          .tags = job.tags,
          .command = {},
          .environment = context.process.variables,
          .directory = context.process.directory};
}

Result<JobSpec> LoadJob(const JobArguments& job, JobInput needs, const Context& context) {
  if (context.process.directory.empty())
    return Fail(ErrorCode::kFailedPrecondition, "the current directory no longer exists",
                "change to another one, for example: cd ~");
  JobFileOptions options = ChangesOf(job, context);
  options.shortcuts = Shortcuts(job, context.settings);
  options.command = context.rest;
  if (context.has_rest && (context.rest.empty() || context.rest.front().empty()))
    return Fail(ErrorCode::kInvalidArgument, "no command after '--'",
                "example: kinetic run -- make report");
  if (context.rest_is_program) {
    KINETIC_ASSIGN_OR_RETURN(ProgramCommand program, ReadProgram(context.rest, !job.root, context));
    options.command = std::move(program.words);
    if (program.directory != options.directory) MakeFilesAbsolute(options.over, options.directory);
    options.directory = std::move(program.directory);
    options.shortcuts = Shortcuts(WithAbsolutePaths(job, context), context.settings);
  }
  std::string file = job.file.value_or("");
  if (job.file && file.empty())
    return Fail(ErrorCode::kInvalidArgument, "the name of the job file is empty",
                "to run the job.yaml of this folder, leave it out: kinetic run");
  const bool is_function = IsFunctionName(file, options.directory);
  if (is_function) {
    file = FunctionName(file);
    options.shortcuts.push_back({file, "function", Quoted(file)});
    file.clear();
  } else if (!file.empty() || !context.has_rest) {
    file = FindJobFile(file, options.directory);
  }
  const bool folder_alone = file.empty() && !context.has_rest && !is_function;
  if (folder_alone) {
    if (needs == JobInput::kRequired) return MissingJob(options.directory);
    options.command = {"true"};
  }
  std::string text;
  if (!file.empty()) {
    KINETIC_ASSIGN_OR_RETURN(text, ReadJobFile(options.directory, file, needs));
  }
  KINETIC_ASSIGN_OR_RETURN(JobSpec spec, ParseJobFile(text, file, options));
  if (folder_alone) spec.name.clear();  // not a job, so there is no earlier one of that name
  return spec;
}

}  // namespace kinetic::cli

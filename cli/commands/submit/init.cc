#include "kinetic/try.h"
#include "kinetic/value.h"

#include "command_line/command.h"
#include "commands/all.h"
#include "commands/cluster/join.h"
#include "commands/submit/project_scan.h"
#include "context.h"
#include "diagnostics.h"
#include "exit_code.h"
#include "output/text.h"

#include <fmt/format.h>

#include <fcntl.h>
#include <unistd.h>

#include <algorithm>
#include <cctype>
#include <cerrno>
#include <filesystem>
#include <fstream>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

namespace kinetic::cli {
namespace {

constexpr const char* kJobFile = "job.yaml";

struct InitOptions {
  std::optional<std::string> work;
  JoinOptions join;
};

/// What the job runs: a key of job.yaml with its value, and the file that it is in.
struct Work {
  std::string key;
  std::string value;
  ScannedFile file;
  std::vector<std::string> required = {};  ///< parameters without a default value
};

/// Returns the module of a file: "pkg.train" of src/pkg/train.py.
std::string ModuleOf(const std::string& file) {
  constexpr std::string_view kSource = "src/";
  std::string module = file.substr(0, file.size() - 3);
  if (module.starts_with(kSource)) module.erase(0, kSource.size());
  std::ranges::replace(module, '/', '.');
  return module;
}

/// Quotes a file name for the shell if necessary.
std::string ShellWord(const std::string& name) {
  const bool is_plain = std::ranges::all_of(name, [](unsigned char c) {
    return std::isalnum(c) != 0 || c == '.' || c == '_' || c == '-' || c == '/';
  });
  if (is_plain) return name;
  std::string quoted = "'";
  for (const char c : name) quoted += c == '\'' ? "'\\''" : std::string(1, c);
  return quoted + "'";
}

/// Returns what a file is for: a script, or its main function.
Work WorkOf(const ScannedFile& file) {
  const auto function = MainFunction(file);
  if (file.is_script || !function) return {"run", "python3 " + ShellWord(file.name), file};
  return {"function", ModuleOf(file.name) + ":" + *function, file};
}

/// Returns whether a folder, or its subfolder src, has a module or package: "train.loop".
bool HasModule(const std::filesystem::path& folder, std::string module) {
  std::ranges::replace(module, '.', '/');
  std::error_code ignored;
  for (const std::filesystem::path& root : {folder, folder / "src"}) {
    if (std::filesystem::exists(root / (module + ".py"), ignored)) return true;
    if (std::filesystem::is_directory(root / module, ignored)) return true;
  }
  return false;
}

/// Returns whether a word names a Python file in the folder or below.
bool IsScriptBelow(const std::filesystem::path& folder, const std::filesystem::path& word) {
  std::error_code ignored;
  return word.extension() == ".py" && word.is_relative() &&
         *word.lexically_normal().begin() != ".." &&
         std::filesystem::is_regular_file(folder / word, ignored);
}

Result<Work> FindWork(const std::optional<std::string>& given, const std::filesystem::path& folder,
                      const ScannedProject& project) {
  if (!given) {
    if (!project.files.empty()) return WorkOf(project.files.front());
    return Fail(
        ErrorCode::kNotFound, "no Python file found here",
        "pass a script or function: kinetic init SCRIPT.py or kinetic init MODULE:FUNCTION");
  }
  const std::size_t colon = given->find(':');
  for (const ScannedFile& file : project.files) {
    if (colon == std::string::npos && file.name == *given) return WorkOf(file);
    if (colon != std::string::npos && ModuleOf(file.name) == given->substr(0, colon))
      return Work{"function", *given, file};
  }
  if (colon == std::string::npos && IsScriptBelow(folder, *given))
    return WorkOf(ScanFile(folder, std::filesystem::path(*given).lexically_normal()));
  if (colon != std::string::npos && HasModule(folder, given->substr(0, colon)))
    return Work{"function", *given, {}};
  return Fail(ErrorCode::kNotFound,
              fmt::format("{}: this folder has no such {}", SafeLine(*given),
                          colon == std::string::npos ? "file" : "module"),
              "pass a Python file in this folder or below, or a function: MODULE:FUNCTION");
}

std::string DependencyLines(const Work& work, const ScannedProject& project) {
  if (work.file.has_inline_metadata)
    return fmt::format("# Packages: from the inline metadata of {}.\n", work.file.name);
  if (project.dependencies)
    return fmt::format(
        "# Packages: found in {}; name another file, or null for none.\n"
        "# dependencies: {}\n",
        *project.dependencies, *project.dependencies);
  return "# Packages: none, because this project has no requirements.txt, pyproject.toml or "
         "uv.lock.\n# dependencies: requirements.txt\n";
}

std::string AcceleratorLines(const Work& work) {
  const std::string reason =
      work.file.accelerated.empty()
          ? ""
          : fmt::format(" The code imports {}, which can use one.", work.file.accelerated);
  return fmt::format(
      "# Accelerator, on a cluster; 'kinetic accelerators' lists all.{}\n"
      "# accelerator: [v5litepod-1, gpu-l4]\n",
      reason);
}

std::string ArgumentLines(const Work& work) {
  if (!work.required.empty())
    return fmt::format(
        "# Arguments by name. The function requires these: remove '#' and fill in their values.\n"
        "# args: {{{}: VALUE}}\n\n",
        fmt::join(work.required, ": VALUE, "));
  return work.key == "function"
             ? "# Arguments by name; 'kinetic run --arg NAME=VALUE' changes one.\n"
               "# args: {NAME: VALUE}\n\n"
             : "# Command-line options, as in --epochs 3; 'kinetic run --arg NAME=VALUE' changes "
               "one.\n"
               "# args: {epochs: 3}\n\n";
}

std::string JobFileText(const Work& work, const ScannedProject& project) {
  std::string text = "# 'kinetic run' in this folder submits this job.\n\n";
  text += fmt::format("{}: {}\n\n", work.key, Value(work.value).ToJson());
  text += ArgumentLines(work);
  text += DependencyLines(work, project) + "\n" + AcceleratorLines(work) + "\n";
  text +=
      "# Environment variables. Secrets are taken from your environment and never stored.\n"
      "# env: {MODE: fast}\n# secrets: [API_TOKEN]\n";
  return text;
}

/// Writes a file that must not exist.
Status WriteNew(const std::filesystem::path& path, const std::string& text) {
  constexpr mode_t kMode = 0666;
  const int fd = ::open(path.c_str(), O_WRONLY | O_CREAT | O_EXCL | O_CLOEXEC, kMode);
  if (fd < 0 && errno == EEXIST)
    return Fail(ErrorCode::kAlreadyExists, "this folder already has a job.yaml",
                "edit it, or remove it first; 'kinetic run' submits it");
  if (fd >= 0) {
    ::close(fd);
    std::ofstream file(path);
    if (file << text << std::flush) return {};
  }
  return Fail(ErrorCode::kUnavailable,
              fmt::format("cannot write {}: {}", kJobFile, SystemCause(errno)));
}

/// Joins the cluster of --cluster. The variable KINETIC_CLUSTER is for other commands.
bool JoinsCluster(const Context& context) { return context.flags.contains(SettingId::kCluster); }

Status CheckCombination(const InitOptions& options, bool joins) {
  if (joins && options.work)
    return Fail(ErrorCode::kInvalidArgument,
                fmt::format("--cluster cannot be combined with {}", SafeLine(*options.work)),
                "use two commands: one writes a job.yaml, the other one joins a cluster");
  if (!joins && (options.join.adopt || options.join.yes))
    return Fail(ErrorCode::kInvalidArgument, "--adopt and --yes require --cluster");
  return {};
}

/// Warns if the file does not define the function at top level. This is no error, because a module
/// can also create functions when it is imported.
void WarnOfMissingFunction(const Work& work, Context& context) {
  if (work.key != "function" || work.file.functions.empty()) return;
  const std::string function = work.value.substr(work.value.find(':') + 1);
  if (function.find('.') != std::string::npos ||
      std::ranges::find(work.file.functions, function) != work.file.functions.end())
    return;
  context.output.Warn(fmt::format("{} does not define {}; it defines {}", work.file.name,
                                  SafeLine(function), fmt::join(work.file.functions, ", ")));
}

/// Fails in the home directory: jobs cannot run there, because all its files would be stored.
Status CheckFolder(const std::filesystem::path& folder, const Context& context) {
  const std::string home = context.process.Variable("HOME");
  std::error_code ignored;
  if (home.empty() || !std::filesystem::equivalent(folder, home, ignored)) return {};
  return Fail(ErrorCode::kInvalidArgument,
              "a job cannot run in the home directory: all its files would be bundled",
              "use a folder for the project: mkdir project && cd project");
}

Result<int> Run(const InitOptions& options, Context& context) {
  const bool joins = JoinsCluster(context);
  KINETIC_RETURN_IF_ERROR(CheckCombination(options, joins));
  if (joins) return JoinCluster(options.join, context);
  const std::filesystem::path& folder = context.process.directory;
  KINETIC_RETURN_IF_ERROR(CheckFolder(folder, context));
  const ScannedProject project = ScanProject(folder);
  KINETIC_ASSIGN_OR_RETURN(Work work, FindWork(options.work, folder, project));
  if (work.key == "function" && !work.file.name.empty())
    work.required =
        RequiredParameters(folder / work.file.name, work.value.substr(work.value.find(':') + 1));
  WarnOfMissingFunction(work, context);
  KINETIC_RETURN_IF_ERROR(WriteNew(folder / kJobFile, JobFileText(work, project)));
  if (context.output.IsJson())
    context.output.Document(
        Value::Map{{"file", (folder / kJobFile).string()}, {work.key, work.value}});
  context.output.Note(fmt::format("wrote {}: {}: {}", kJobFile, work.key, work.value));
  if (!work.required.empty())
    context.output.Note(fmt::format("the function requires {}; set {} under args in {}",
                                    fmt::join(work.required, ", "),
                                    work.required.size() == 1 ? "it" : "them", kJobFile));
  context.output.Note("to run it: kinetic run");
  return kSuccess;
}

}  // namespace

void RegisterInit(Command& parent) {
  Command& command = parent.Add(
      {.name = "init",
       .summary = "Write a job.yaml for this folder, or a profile for a GKE cluster",
       .description =
           "Write a commented job.yaml for a script or function in the current directory, with its "
           "packages and\n"
           "accelerator. An existing file is not changed.\n"
           "With --cluster, write a profile for a GKE cluster that exists, use it, and show what "
           "jobs lack there.",
       .usage = {"[OPTIONS] [SCRIPT|FUNCTION]", "[OPTIONS] --cluster NAME [--adopt]"},
       .examples = {"kinetic init", "kinetic init train:main",
                    "kinetic init --cluster team --project my-project",
                    "kinetic init --cluster team --store gs://team-data/jobs --adopt"},
       .needs_settings = false});
  auto options = std::make_shared<InitOptions>();
  command.Argument(
      {.names = "SCRIPT|FUNCTION",
       .doc = "Script (train.py) or function (train:main) that the job runs; default: found "
              "in the folder",
       .complete = CompletionKind::kFile},
      options->work);
  command.Flag({"--adopt", "",
                "Create what is missing for jobs: namespace, service account, bucket, image "
                "repository, runner image, grants"},
               options->join.adopt);
  command.Flag({"-y,--yes", "", "Do not ask for confirmation"}, options->join.yes);
  command.SetAction([options](Context& context) { return Run(*options, context); });
}

}  // namespace kinetic::cli

#pragma once

#include "kinetic/accelerator.h"
#include "kinetic/value.h"

#include <chrono>
#include <cstddef>
#include <cstdint>
#include <filesystem>
#include <map>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace kinetic::inline v0 {

/// `module:callable`; the callable may be dotted, "Trainer.fit". A C++ function has no module.
struct FunctionReference {
  std::string module;
  std::string callable;
  /// Returns whether this is a function of the calling program (kinetic/function.h).
  bool IsNative() const { return module.empty(); }
  bool operator==(const FunctionReference&) const = default;
};

/// What a `run:` job executes: a line for /bin/sh, or a program with its arguments.
struct Command {
  std::string shell;              ///< empty when `argv` is used
  std::vector<std::string> argv;  ///< argv[0] is looked up in PATH
  bool operator==(const Command&) const = default;
};

/// Returns how many words at the beginning of `argv` name the program: 1, or for an interpreter
/// such as python3 or bash the words up to its script or module.
KINETIC_EXPORT std::size_t ProgramWords(const std::vector<std::string>& argv);

/// Arguments of the function or program; one of the two is empty.
struct Arguments {
  Value::List positional;
  Value::Map named;
  /// Returns the named argument, or null.
  KINETIC_EXPORT const Value* Find(std::string_view argument) const;
  bool operator==(const Arguments&) const = default;
};

struct BundleSpec {
  std::optional<std::filesystem::path> root;  ///< absent: found by walking up to a project marker
  std::vector<std::string> exclude;           ///< patterns as in .gitignore
  bool default_excludes = true;               ///< .venv, node_modules, caches
  bool operator==(const BundleSpec&) const = default;
};

/// The source of the Python packages.
struct DependencySpec {
  std::optional<std::filesystem::path>
      file;  ///< requirements.txt, pyproject.toml, uv.lock, or a script
  std::vector<std::string> extras;
  std::vector<std::string> groups;
  bool none = false;  ///< `dependencies: null`: the standard library alone
  bool operator==(const DependencySpec&) const = default;
};

/// A container image: used unchanged, or built from a Dockerfile.
struct ImageSpec {
  std::string uri;
  std::filesystem::path dockerfile;
  std::filesystem::path context;  ///< what it copies from; empty: the folder that it is in
  bool operator==(const ImageSpec&) const = default;
};

struct DataSource {
  std::string source;  ///< a local path or gs://bucket/prefix
  bool mount = false;
  bool follow_links = false;  ///< copy the targets of links out of a local folder
  bool operator==(const DataSource&) const = default;
};

struct Resources {
  std::optional<double> cpu;                  ///< processors
  std::optional<std::uint64_t> memory_bytes;  ///< the job is killed if it uses more
  std::optional<std::uint64_t> disk_bytes;
  std::optional<std::uint64_t> shm_bytes;
  bool operator==(const Resources&) const = default;
};

/// The tasks of an array: one function or command, run many times.
struct ArraySpec {
  std::uint32_t count = 0;     ///< number of tasks; with `over`, its number of entries
  std::uint32_t parallel = 0;  ///< tasks, or pods, that run at the same time; 0: the target decides
  /// A list with the arguments of each task: a map of named ones, which are added to `args`, or a
  /// list of positional ones, which replace them. Any other value is the only positional argument.
  Value over = {};
  /// Failed tasks that are tolerated: one more ends the array. Absent: no number of them does.
  std::optional<std::uint32_t> max_failed = {};
  std::uint32_t tasks_per_pod = 1;  ///< tasks that one pod runs, one after the other
  bool operator==(const ArraySpec&) const = default;
};

/// When to retry a failed attempt.
struct RetrySpec {
  std::uint32_t attempts = 1;  ///< at most, including the first
  bool on_preempted = true;
  bool on_infrastructure = true;
  std::vector<int> on_exit_codes;  ///< of the program
  bool operator==(const RetrySpec&) const = default;
};

struct Timeouts {
  std::optional<std::chrono::milliseconds> pending;  ///< from submission to user code
  std::optional<std::chrono::milliseconds> run;      ///< of user code, per attempt
  std::chrono::milliseconds grace{30'000};           ///< between SIGTERM and SIGKILL
  bool operator==(const Timeouts&) const = default;
};

/// A position in a job file, or in a file of argument sets.
struct SourcePosition {
  std::string file;
  int line = 0;    ///< from 1; 0 where the value did not come from a file
  int column = 0;  ///< from 1, in characters; 0: the whole line
  /// "job.yaml:3:7", "sweep.csv:3", or just the file ("--set") without a line.
  KINETIC_EXPORT std::string ToString() const;
  bool operator==(const SourcePosition&) const = default;
};

struct JobFileOptions;  // kinetic/job_file.h

/// A job as the user described it: job.yaml version 1, parsed and validated. Paths are absolute.
///
/// Exactly one of `function`, `run` and `steps` is set. docs/reference/job-file.md explains each
/// key.
///
///     JobSpec::Function("finetune:train").Arg("epochs", 3).Accelerator("v5litepod-4")
///
/// Relative paths start at the current directory. Errors of these functions are kept in `errors`
/// and returned by the functions of Client.
struct JobSpec {
  /// Returns a job that calls a Python function: "module:callable".
  static KINETIC_EXPORT JobSpec Function(std::string_view function);
  /// Returns a job that calls a C++ function of this program: `JobSpec::Call(&Train, options, 3)`.
  /// Include kinetic/function.h.
  template <typename Callee, typename... Args>
  static JobSpec Call(Callee function, Args&&... arguments);
  /// Returns an array that calls a C++ function of this program once for each input, which is a
  /// std::tuple with the arguments of a call, or the only argument. Include kinetic/function.h.
  template <typename Callee, typename Inputs>
  static JobSpec CallEach(Callee function, const Inputs& inputs);
  /// Returns a job that runs a program. argv[0] is looked up in PATH.
  static KINETIC_EXPORT JobSpec Command(const std::vector<std::string>& argv);
  /// Returns the job that a job file describes.
  static KINETIC_EXPORT JobSpec FromFile(const std::filesystem::path& file);
  /// Same, with changes, and with the environment for `env: {X: null}` and `$env`.
  static KINETIC_EXPORT JobSpec FromFile(const std::filesystem::path& file, JobFileOptions options);

  /// Sets an argument: a keyword argument of a function, or an option of a program.
  KINETIC_EXPORT JobSpec& Arg(std::string_view argument, Value value) &;
  KINETIC_EXPORT JobSpec Arg(std::string_view argument, Value value) &&;
  /// Requests this accelerator, as ParseAccelerator names it.
  KINETIC_EXPORT JobSpec& Accelerator(std::string_view accelerator) &;
  KINETIC_EXPORT JobSpec Accelerator(std::string_view accelerator) &&;
  /// Sets the folder that the job gets a copy of.
  KINETIC_EXPORT JobSpec& Bundle(const std::filesystem::path& folder) &;
  KINETIC_EXPORT JobSpec Bundle(const std::filesystem::path& folder) &&;
  /// Sets the file with the Python dependencies: requirements.txt, pyproject.toml or uv.lock.
  KINETIC_EXPORT JobSpec& Dependencies(const std::filesystem::path& file) &;
  KINETIC_EXPORT JobSpec Dependencies(const std::filesystem::path& file) &&;

  std::string name;
  std::vector<kinetic::Accelerator> accelerators;  ///< in order of preference; never empty
  std::optional<FunctionReference> function;
  std::optional<kinetic::Command> run;
  Value steps;  ///< reserved
  Arguments args;
  BundleSpec bundle;
  /// The folder that the job runs in, relative to the bundle's root. An absolute path is a folder
  /// of this machine, which Client::Submit makes relative. Empty: `directory`.
  std::filesystem::path workdir;
  DependencySpec dependencies;
  std::string python;  ///< "3.12"; empty: the caller's minor version
  std::optional<ImageSpec> image;
  std::map<std::string, std::string>
      env;                           ///< `null` values are filled in from the caller's environment
  std::vector<std::string> secrets;  ///< names and wildcards; the values are not part of the spec
  std::map<std::string, DataSource> data;  ///< by the path in the job
  Resources resources;
  bool spot = false;
  bool flex_start = false;  ///< only nodes that GKE creates when there is capacity
  std::string reservation;  ///< only nodes of this reservation; empty: any
  std::uint32_t slices = 1;
  std::optional<ArraySpec> array;
  RetrySpec retry;
  Timeouts timeouts;
  std::string max_cost;
  std::string queue;
  Value pod;  ///< extra pod fields
  std::string target;
  /// Names and values by which `kinetic ps` and ListOptions select jobs.
  std::map<std::string, std::string> tags;

  /// The base of relative paths: the folder of the job file, or the current directory.
  std::filesystem::path directory;
  /// The position of each key by its path ("resources.memory"), for messages.
  std::map<std::string, SourcePosition> positions;
  /// The errors of the functions above, which Client returns.
  std::vector<Error> errors;

  bool operator==(const JobSpec&) const = default;
};

}  // namespace kinetic::inline v0

#pragma once

#include "kinetic/bundle.h"
#include "kinetic/cloud.h"
#include "kinetic/environment.h"
#include "kinetic/job.h"
#include "kinetic/job_difference.h"
#include "kinetic/job_file.h"
#include "kinetic/job_spec.h"
#include "kinetic/log.h"
#include "kinetic/observer.h"
#include "kinetic/prices.h"
#include "kinetic/profile.h"

#include <chrono>
#include <cstdint>
#include <filesystem>
#include <map>
#include <memory>
#include <optional>
#include <span>
#include <stop_token>
#include <string>
#include <string_view>
#include <type_traits>
#include <vector>

namespace kinetic::job {
class ClientFactory;
}

namespace kinetic::inline v0 {

class Datasets;      // kinetic/datasets.h
class Environments;  // kinetic/environments.h
class Images;        // kinetic/images.h

/// The configuration of a client. The library itself reads no environment variable, configuration
/// file or terminal.
struct ClientOptions {
  Profile profile;
  std::filesystem::path state_dir;  ///< absolute; holds running jobs
  std::filesystem::path cache_dir;  ///< absolute; may be removed at any time while nothing runs
  std::filesystem::path runner;     ///< the kinetic-runner program
  std::string search_path;          ///< as in PATH: where python3, uv and git are found
  std::string python;               ///< default minor version; empty: detected
  std::map<std::string, std::string> environment;  ///< the caller's: secrets, proxies, index URLs
  std::string owner;                               ///< "ana@laptop"
  CloudOptions cloud = {};                         ///< used with a bucket
  std::filesystem::path docker_config = {};        ///< as in RegistryOptions
  Prices prices = {};                              ///< for max_cost, and recorded with each job
  LogSink* log = nullptr;                          ///< outlives the client; may be null
};

struct SubmitOptions {
  std::string id = {};           ///< empty: a new one
  bool locked = false;           ///< use the stored lock; never resolve
  bool relock = false;           ///< ignore the stored lock
  Observer* observer = nullptr;  ///< outlives the call; may be null
  std::stop_token stop = {};     ///< returns kCancelled
  /// Returns kDeadlineExceeded.
  std::optional<std::chrono::steady_clock::time_point> deadline = {};
};

/// Everything that a submission would send.
struct Plan {
  std::string target;
  BundleListing bundle;
  std::string tree_digest;
  EnvironmentExplanation environment;
  Value record;                      ///< record.json as it would be written
  std::vector<std::string> objects;  ///< names of the objects that would be created
  /// The objects that would be created in the cluster, without the values of secrets.
  std::vector<Value> manifests = {};
  std::vector<std::string> not_applied;  ///< keys that have no effect on this target
};

struct ListOptions {
  std::optional<std::uint32_t> limit = {};
  std::optional<JobState> state = {};
  std::string name = {};                         ///< empty: all
  std::string owner = {};                        ///< empty: all
  std::map<std::string, std::string> tags = {};  ///< only jobs that have all of these
  bool unique_prefixes = false;  ///< set JobSummary::unique_prefix, which reads the whole index
  Observer* observer = nullptr;  ///< receives warnings; outlives the call; may be null
  /// Only jobs that ended at least this long ago, by the store's clock; for unfinished jobs, the
  /// time since they were submitted or started. kFailedPrecondition if clocks differ.
  std::optional<std::chrono::milliseconds> older_than = {};
};

struct GarbageOptions {
  bool dry_run = false;
  /// Read and verify all objects first. Damaged packs and trees are removed, so that the next
  /// client stores them again; other damaged objects are reported.
  bool verify = false;
  /// Also remove ended jobs that are older.
  std::optional<std::chrono::hours> jobs_older_than = {};
  /// Also remove the outputs of jobs that no longer exist, if they are older than one day.
  bool outputs = false;
  /// Remove also what was used recently, if no job needs it. A job that is being submitted at the
  /// same time can then fail before it starts.
  bool all = false;
};

/// A job that a word selects.
struct FoundJob {
  Job job;
  /// The number of the owner's jobs with this name, of which `job` is the newest. 1 if the word is
  /// not a name.
  std::uint64_t same_name = 1;
};

/// What RemoveOutputs removed.
struct RemovedOutputs {
  std::uint64_t files = 0;
  std::uint64_t bytes = 0;
};

struct GarbageReport {
  struct Class {
    std::string
        name;  ///< "packs", "trees", "locks", "arrays", "environments", "package sets", "jobs",
               ///< "outputs", "job cache", "kept data", "programs"
    std::uint64_t removed = 0, removed_bytes = 0, kept = 0, kept_bytes = 0;
    std::string why_kept = {};  ///< "a job needs them, or used in the last 8 days"; may be empty
  };
  std::vector<Class> classes;
  std::vector<std::string> removed;        ///< names; with dry_run, what would be removed
  std::vector<std::string> warnings = {};  ///< what could not be removed, with advice
};

/// Runs jobs on one target.
///
/// @errors   of every function: those of the store and the target: kUnauthenticated,
///           kPermissionDenied, kNotFound (no such bucket or namespace), kUnavailable,
///           kFailedPrecondition (an unusable certificate, kubeconfig or credential file),
///           kResourceExhausted (disk, quota) · kDataLoss (a damaged object) · kCancelled (stop).
/// @threads  safe to call concurrently, but not in a process that was forked later. Every call that
///           waits takes a stop_token, by itself or in its options, and returns kCancelled soon after
///           a stop is requested. Those with a deadline in their options return kDeadlineExceeded
///           soon after it.
class KINETIC_EXPORT Client {
 public:
  /// Opens the store and the target. The first call that lists or submits jobs finishes jobs whose
  /// supervisor died.
  ///
  /// @errors  kInvalidArgument (a relative folder; a store or target that cannot be used together).
  static Result<Client> Open(ClientOptions options, std::stop_token stop = {});
  /// Same, for `Client::Open(LoadProfile("tpu"))` (kinetic/settings.h).
  ///
  /// @errors  the error of `options` · those of Open.
  static Result<Client> Open(Result<ClientOptions> options, std::stop_token stop = {});
  ~Client();
  Client(Client&&) noexcept;
  Client& operator=(Client&&) noexcept;

  /// Returns what Submit would send.
  ///
  /// @errors  those of Submit, except kAlreadyExists.
  Result<Plan> Prepare(const JobSpec& spec, const SubmitOptions& options = {});

  /// Bundles, uploads and starts a job. Idempotent by id: the same id and record attaches to the
  /// existing job.
  ///
  /// @errors  kInvalidArgument (spec, arguments, bundle) · kNotFound or kPermissionDenied (the job
  ///          file or the bundle) · kUnimplemented (a key that this target does not support) ·
  ///          kAlreadyExists (the id with another record; the message has the first difference) ·
  ///          kFailedPrecondition (locked, and no lock; a C++ function without InitFunctions, or
  ///          whose program was replaced; no current directory) · kAborted (the job was removed
  ///          meanwhile) · kResourceExhausted (disk).
  Result<Job> Submit(const JobSpec& spec, const SubmitOptions& options = {});

  /// Calls a C++ function of this program as a job: `client.Submit(&Train, options, 3)`. Returns a
  /// JobOf with the type of the function's value. Include kinetic/function.h. To change the job,
  /// submit a JobSpec::Call and pass the Job to JobOf. The items of an array that is moved,
  /// `client.Submit(&Train, std::move(array))`, are not copied.
  ///
  /// @errors  those of Submit.
  template <typename Callee, typename... Args>
    requires(!std::is_convertible_v<Callee, JobSpec> && !std::is_same_v<Callee, SubmitOptions>)
  auto Submit(Callee function, Args&&... arguments);
  template <typename Callee, typename... Args>
  auto Submit(const SubmitOptions& options, Callee function, Args&&... arguments);

  /// Stores the arrays above 48 KiB in a value once for any number of jobs. Returns the value that
  /// refers to them, an argument for JobSpec::Arg and for C++ functions:
  ///
  ///     KINETIC_ASSIGN_OR_RETURN(const Value images, client.Put(std::move(array)));
  ///     for (double rate : rates) client.Submit(&Train, images, rate);
  ///
  /// Arrays with equal content are stored once. An array that no job needs is removed when it has
  /// not been used for eight days; a later submission fails with kFailedPrecondition.
  ///
  /// @errors  kInvalidArgument: an array with a wrong number of items; a text that is not UTF-8.
  Result<Value> Put(Value value, const StopOptions& options = {});

  /// Calls a C++ function of this program once for each input, as the tasks of one job:
  /// `client.Map(&Train, rates)`. An input is a std::tuple with the arguments of a call, or the only
  /// argument. Returns a TasksOf with the type of the function's value. Include kinetic/function.h.
  /// To change the job, submit a JobSpec::CallEach and pass the Job to TasksOf.
  ///
  /// @errors  those of Submit · kInvalidArgument: no inputs, or above 100,000.
  template <typename Callee, typename Inputs>
    requires(!std::is_same_v<Callee, SubmitOptions>)
  auto Map(Callee function, const Inputs& inputs);
  template <typename Callee, typename Inputs>
  auto Map(const SubmitOptions& options, Callee function, const Inputs& inputs);

  /// Submits several jobs, up to 8 at the same time. Returns a job or an error for each of the specs,
  /// in their order.
  ///
  /// @errors  of each: those of Submit.
  std::vector<Result<Job>> SubmitAll(std::span<const JobSpec> specs,
                                     const StopOptions& options = {});

  /// Calls a C++ function of this program as a job, waits, and returns its value:
  /// `client.Run(&Train, options, 3)`. Include kinetic/function.h. The job continues after a stop or
  /// the deadline of the options: `client.Run({.deadline = deadline}, &Train, options, 3)`.
  ///
  /// @errors  those of Submit and JobOf::Get.
  template <typename Callee, typename... Args>
    requires(!std::is_same_v<Callee, SubmitOptions>)
  auto Run(Callee function, Args&&... arguments);
  template <typename Callee, typename... Args>
  auto Run(const SubmitOptions& options, Callee function, Args&&... arguments);

  /// Submits the code, data, environment and arguments of an earlier job again. Secrets are taken
  /// from the caller's environment. No file of the job is needed on this machine.
  ///
  /// @param job      the earlier job (Find).
  /// @param changes  change arguments, variables, secrets, resources and limits of the new job.
  /// @param options  `locked` and `relock` have no effect.
  /// @errors  kNotFound (the job was removed) · kInvalidArgument (a change; a missing secret) ·
  ///          kFailedPrecondition (code, data, packages or image no longer exist; another kind
  ///          of target) · errors of Submit.
  Result<Job> Rerun(const Job& job, const JobFileOptions& changes = {},
                    const SubmitOptions& options = {});

  /// Submits some tasks of an array again, as tasks 0, 1, … of a new array in the order of their
  /// indexes. A changed argument is that of all tasks.
  ///
  /// @param tasks  their indexes.
  /// @errors  those of Rerun · kInvalidArgument: also if `tasks` is empty, or the array has no
  ///          arguments for each task.
  Result<Job> RerunTasks(const Job& job, const std::vector<std::uint32_t>& tasks,
                         const JobFileOptions& changes = {}, const SubmitOptions& options = {});

  /// Finds a job by its id, as "latest" (the owner's newest job), by its name (the owner's newest
  /// job with this name), or by a unique prefix of its id, in this order.
  ///
  /// @errors  kNotFound · kInvalidArgument (neither a name nor an id; several jobs match).
  Result<Job> Find(std::string_view word, std::stop_token stop = {});
  /// Finds a job like Find, and reports how many jobs its name could mean.
  ///
  /// @errors  those of Find.
  Result<FoundJob> FindByWord(std::string_view word, std::stop_token stop = {});
  /// Returns the handle of a listed job.
  ///
  /// @errors  kDataLoss (a damaged record) · those of the store and the target.
  Result<Job> Find(const JobSummary& listed, std::stop_token stop = {});

  /// Lists jobs, newest first.
  ///
  /// @errors  those of the store and the target.
  Result<std::vector<JobSummary>> List(const ListOptions& options = {}, std::stop_token stop = {});

  /// Compares two jobs. Values of environment variables and secrets are not part of the result.
  ///
  /// @errors  kNotFound: a job was removed · kFailedPrecondition: the code of a job is no longer in
  ///          the store.
  Result<JobDifference> CompareJobs(const Job& before, const Job& now,
                                    const CompareOptions& options = {}, std::stop_token stop = {});

  /// Removes a job that has ended: record, log, result. Its outputs are kept. Has no effect on a job
  /// that was removed before.
  ///
  /// @errors  kFailedPrecondition: the job is active · kDataLoss: its result is damaged.
  Status Remove(const Job& job, std::stop_token stop = {});

  /// Removes a job in any state: cancels it if it runs here, and removes it even if its objects are
  /// damaged or its machine is gone. Warns if it may still run.
  ///
  /// @errors  kNotFound · kFailedPrecondition: it runs here and does not end.
  Status ForceRemove(std::string_view id, Observer* observer = nullptr, std::stop_token stop = {});

  /// Returns the location of the job's output folder, as a path or URI.
  ///
  /// @errors  those of Find.
  Result<std::string> OutputLocation(std::string_view id, std::stop_token stop = {});

  /// Removes the stored outputs of a job that has ended, or that was removed before.
  ///
  /// @param id     the full ID.
  /// @param paths  of files and folders among the outputs; empty: all outputs.
  /// @errors       kNotFound: neither the job nor its outputs exist, or one of `paths` does not; then
  ///               nothing is removed · kFailedPrecondition: the job is active.
  Result<RemovedOutputs> RemoveOutputs(std::string_view id,
                                       const std::vector<std::string>& paths = {},
                                       std::stop_token stop = {});

  /// Lists the files that Submit would upload.
  ///
  /// @errors  kInvalidArgument (spec, bundle) · kNotFound (a file or folder of the spec) ·
  ///          kPermissionDenied (a file).
  Result<BundleListing> ListBundle(const JobSpec& spec, std::stop_token stop = {});
  /// Compares with the bundle of `since` (a job id; empty: the last job of that name).
  ///
  /// @errors  those of ListBundle and Find.
  Result<BundleDifference> DiffBundle(const JobSpec& spec, std::string_view since,
                                      std::stop_token stop = {});

  /// Returns the datasets of the store. Include kinetic/datasets.h.
  Datasets datasets() const;
  /// Returns the environments of jobs, and their locks. Include kinetic/environments.h.
  Environments environments() const;
  /// Returns the images with packages. Include kinetic/images.h.
  Images images() const;

  /// Removes stored objects that no job needs.
  ///
  /// @errors  those of the store. Objects that cannot be removed are warnings of the report.
  Result<GarbageReport> CollectGarbage(const GarbageOptions& options = {},
                                       std::stop_token stop = {});

 private:
  friend class job::ClientFactory;
  class Impl;
  explicit Client(std::unique_ptr<Impl> impl);
  std::unique_ptr<Impl> impl_;
};

}  // namespace kinetic::inline v0

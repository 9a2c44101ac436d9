#pragma once

#include "kinetic/bundle.h"
#include "kinetic/cloud.h"
#include "kinetic/data.h"
#include "kinetic/environment.h"
#include "kinetic/image_difference.h"
#include "kinetic/image_explanation.h"
#include "kinetic/job.h"
#include "kinetic/job_spec.h"
#include "kinetic/log.h"
#include "kinetic/observer.h"
#include "kinetic/profile.h"

#include <chrono>
#include <cstdint>
#include <filesystem>
#include <map>
#include <memory>
#include <optional>
#include <stop_token>
#include <string>
#include <string_view>
#include <vector>

namespace kinetic {

struct WarmOptions;  // kinetic/warming.h
struct WarmReport;

/// Everything the library needs to know about where it runs. It reads no environment variable, no
/// configuration file and no terminal of its own accord.
struct ClientOptions {
  Profile profile;
  std::filesystem::path state_dir;  ///< absolute; running jobs live here
  std::filesystem::path cache_dir;  ///< absolute; may be removed at any time while nothing runs
  std::filesystem::path runner;     ///< the kinetic-runner program
  std::string search_path;          ///< as in PATH: where python3, uv and git are found
  std::string python;               ///< minor version used when a job names none; empty: found
  std::map<std::string, std::string> environment;  ///< the caller's: secrets, proxies, index URLs
  std::string owner;                               ///< "ana@laptop"
  CloudOptions cloud = {};                         ///< used when a bucket is
  std::filesystem::path docker_config = {};  ///< with logins for registries; as RegistryOptions
  LogSink* log = nullptr;                    ///< outlives the client; may be null
};

struct SubmitOptions {
  std::string id = {};           ///< empty: a new one
  bool locked = false;           ///< use the stored lock, never resolve
  bool relock = false;           ///< resolve anew
  Observer* observer = nullptr;  ///< outlives the call; may be null
};

/// All that a submission would send; nothing has been sent.
struct Plan {
  std::string target;
  BundleListing bundle;
  std::string tree_digest;
  EnvironmentExplanation environment;
  Value record;                      ///< record.json as it would be written
  std::vector<std::string> objects;  ///< names of the objects that would be created
  /// What would be created in the cluster, as its API takes it; values of secrets are left out.
  std::vector<Value> manifests = {};
  std::vector<std::string> not_applied;  ///< keys that have no effect on this target
};

struct ListOptions {
  std::optional<std::uint32_t> limit = {};
  std::optional<JobState> state = {};
  std::string name = {};         ///< empty: all
  std::string owner = {};        ///< empty: all
  Observer* observer = nullptr;  ///< warned of what cannot be asked; outlives the call; may be null
};

struct GarbageOptions {
  bool dry_run = false;
  std::optional<std::chrono::hours> jobs_older_than = {};  ///< also remove ended jobs of that age
};

struct GarbageReport {
  struct Class {
    std::string name;  ///< "packs", "trees", "locks", "environments", "jobs", "kept data"
    std::uint64_t removed = 0, removed_bytes = 0, kept = 0, kept_bytes = 0;
  };
  std::vector<Class> classes;
  std::vector<std::string> removed;        ///< names; with dry_run, what would be removed
  std::vector<std::string> warnings = {};  ///< what could not be removed, and what to do about it
};

/// Runs jobs on one target.
///
/// @threads  safe to call concurrently. Every call that waits takes a stop_token and returns
/// kCancelled
///           soon after it is requested.
class KINETIC_EXPORT Client {
 public:
  /// Opens the store and the target. Jobs whose supervisor died are found and settled with the
  /// first call that asks about jobs, or submits one.
  static Result<Client> Open(ClientOptions options, std::stop_token stop = {});
  ~Client();
  Client(Client&&) noexcept;
  Client& operator=(Client&&) noexcept;

  /// What Submit would send.
  Result<Plan> Prepare(const JobSpec& spec, const SubmitOptions& options,
                       std::stop_token stop = {});

  /// Packages, stages, prepares the environment and launches. Idempotent by id: the same id with
  /// the same record attaches, with another fails.
  ///
  /// @errors  kInvalidArgument (spec, arguments, bundle) · kUnimplemented (a key that this target
  /// cannot
  ///          do) · kAlreadyExists (the id with another record; the message names the first
  ///          difference) · kFailedPrecondition (locked, and no lock) · kResourceExhausted (disk).
  Result<Job> Submit(const JobSpec& spec, const SubmitOptions& options, std::stop_token stop = {});

  /// A job by id, or by a prefix of it that no other job has.
  Result<Job> Find(std::string_view id, std::stop_token stop = {});

  /// Newest first.
  Result<std::vector<JobSummary>> List(const ListOptions& options, std::stop_token stop = {});

  /// Removes a job that has ended: record, log, result. Its outputs stay.
  Status Remove(std::string_view id, std::stop_token stop = {});

  /// What is written to the job's output folder, as a path or URI.
  Result<std::string> OutputLocation(std::string_view id, std::stop_token stop = {});

  Result<BundleListing> ListBundle(const JobSpec& spec, std::stop_token stop = {});
  /// Compares with the bundle of `since` (a job id; empty: the last job of that name).
  Result<BundleDifference> DiffBundle(const JobSpec& spec, std::string_view since,
                                      std::stop_token stop = {});

  /// Stores a file or folder under a name, for `data:` of any job; what the store has already is
  /// not sent again. A name that is taken gets the new content; jobs that took the old keep it.
  ///
  /// @errors  kInvalidArgument (the name; neither a file nor a folder) · kNotFound · kAborted (a
  ///          file changed while it was read).
  Result<PutDataReport> PutData(const std::filesystem::path& source, const PutDataOptions& options,
                                std::stop_token stop = {});
  /// The data sets of the store, by name.
  Result<std::vector<DataSet>> ListData(std::stop_token stop = {});
  /// Takes a data set's name away; its content goes with the last job that needs it, by
  /// CollectGarbage. @errors kNotFound.
  Result<DataSet> RemoveData(std::string_view name, std::stop_token stop = {});

  /// Resolves the dependencies and stores the lock; `renew` resolves even when there is one.
  Result<EnvironmentLock> Lock(const JobSpec& spec, bool renew, Observer* observer,
                               std::stop_token stop = {});
  Result<EnvironmentExplanation> ExplainEnvironment(const JobSpec& spec, std::stop_token stop = {});

  /// The environments that are kept on this machine, the last used first.
  Result<std::vector<EnvironmentSummary>> ListEnvironments(std::stop_token stop = {});
  /// Removes an environment; a job that needs it makes it anew.
  ///
  /// @param id  or a beginning of it that no other environment has.
  /// @errors    kNotFound · kInvalidArgument (several begin so) · kFailedPrecondition (a job that
  ///            has not ended uses it, or it is being made or taken into use at this moment).
  Result<EnvironmentSummary> RemoveEnvironment(std::string_view id, std::stop_token stop = {});

  /// Makes the image of a job's packages where the profile keeps such (environment_images), if it
  /// is not there.
  ///
  /// @param options  its id has no effect.
  /// @errors  kFailedPrecondition (the profile keeps none; nothing to make an image of; locked, and
  ///          no lock; what FindBasePython says of the base; Cloud Build could not make it) ·
  ///          kUnauthenticated, kPermissionDenied, kUnavailable (a registry, or Cloud Build) ·
  ///          kResourceExhausted (quota) · kDeadlineExceeded (Cloud Build took too long).
  Result<EnvironmentImage> BuildImage(const JobSpec& spec, const SubmitOptions& options,
                                      std::stop_token stop = {});
  /// What a container engine makes the same image from. No registry is asked.
  ///
  /// @param folder   it is written there as well, made when it is absent; empty: it is not.
  /// @param options  its id has no effect.
  /// @errors  kFailedPrecondition (on this machine jobs run in no image; nothing to make one of;
  ///          locked, and no lock) · kAlreadyExists (a file of its name is not kinetic's).
  Result<EnvironmentDockerfile> MakeDockerfile(const JobSpec& spec,
                                               const std::filesystem::path& folder,
                                               const SubmitOptions& options,
                                               std::stop_token stop = {});
  /// Which image, or which archives, a job's packages are, and what would come of them when it is
  /// sent. Nothing is made, resolved or put anywhere, and what a registry refuses is an answer.
  ///
  /// @errors  kFailedPrecondition (on this machine jobs run in no image) · those of the store.
  Result<ImageExplanation> ExplainImage(const JobSpec& spec, std::stop_token stop = {});
  /// What an image says that it has.
  ///
  /// @param image  "tpu-64ec09b4f5ed", a tag of the profile's; or with its place:
  ///               "registry/name:tag", "registry/name@sha256:…".
  /// @errors  kNotFound (none of kinetic's is called so) · kFailedPrecondition (it does not say) ·
  ///          kInvalidArgument (no name) · those of a registry.
  Result<ImageContents> ReadImageContents(std::string_view image, std::stop_token stop = {});
  /// What the image of a job's packages has, or would have: its lock.
  /// @errors  kFailedPrecondition: it brings none, or there is no lock.
  Result<ImageContents> ReadImageContents(const JobSpec& spec, std::stop_token stop = {});
  /// The images that kinetic made there, by tag.
  Result<std::vector<EnvironmentImage>> ListImages(std::stop_token stop = {});
  /// Removes one. Jobs that name it cannot be started any more; who submits anew has it made again.
  ///
  /// @errors  kNotFound · kUnimplemented (the registry removes nothing).
  Result<EnvironmentImage> RemoveImage(std::string_view tag, std::stop_token stop = {});

  /// Has the nodes that a job may run on pull its images, so that a first job need not wait for
  /// them. What it makes in the cluster for that goes when this returns, also when it is stopped.
  ///
  /// @errors  kFailedPrecondition (on this machine jobs run in no image; the packages are to be in
  ///          an image that is not there) · kPermissionDenied · kDeadlineExceeded (nodes that have
  ///          not pulled them in time are in the message) · those of the cluster.
  Result<WarmReport> WarmImages(const JobSpec& spec, const WarmOptions& options,
                                std::stop_token stop = {});

  /// Removes what no kept job needs.
  Result<GarbageReport> CollectGarbage(const GarbageOptions& options, std::stop_token stop = {});

 private:
  class Impl;
  explicit Client(std::unique_ptr<Impl> impl);
  std::unique_ptr<Impl> impl_;
};

}  // namespace kinetic

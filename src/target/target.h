#pragma once

#include "kinetic/explanation.h"
#include "kinetic/job.h"
#include "kinetic/job_spec.h"
#include "kinetic/observer.h"

#include "base/digest.h"
#include "env/environment_builder.h"
#include "record/outcome.h"
#include "record/record.h"
#include "record/status.h"
#include "store/store.h"

#include <functional>
#include <map>
#include <memory>
#include <optional>
#include <stop_token>
#include <string>
#include <string_view>
#include <vector>

namespace kinetic::target {

/// A key of the job file that this target cannot honour, or that has no effect on it.
struct Limitation {
  std::string key;       ///< "array", "timeouts.pending"
  std::string reason;    ///< "not supported by the local target"
  bool refused = false;  ///< refused: an error; otherwise listed as not applied
};

struct Launch {
  const record::Record* record = nullptr;
  Digest record_digest;  ///< sha256 of record.json as stored
  std::optional<env::ReadyEnvironment> environment;
  std::map<std::string, std::string> secrets;  ///< values; never written to the store
};

/// Packages that are to be made where jobs run, because they cannot be made here.
struct PackagesLaunch {
  std::string order;    ///< an object of the store: env::PackagesOrder
  Digest order_digest;  ///< of its bytes
  std::string image;    ///< that has Python with pip, or uv: what jobs run upon
  std::map<std::string, std::string> private_urls;  ///< a secret; never written to the store
  Value pod;  ///< the job's pod fields, of which some count for the making too; may be null
};

/// What the target itself knows of a job; the store's result.json, not this, is the truth about its
/// end.
struct Observation {
  record::AttemptStatus status;
  bool alive = false;  ///< something still works on it
};

/// A node that a job will need, for which something is still being made.
struct NodeWish {
  const JobSpec* spec = nullptr;  ///< required; its first accelerator counts
  std::string image = {};  ///< that the job's will have most of; empty: nothing is known of it
};

/// What jobs of a target that has images run upon.
struct BaseImage {
  std::string image;      ///< as written: "python:3.12-slim"
  std::string python;     ///< "3.12": what packages are for; the image has it, or the job says so
  std::string platform;   ///< of its machines: "linux-x86_64"
  bool is_given = false;  ///< the job names it: it is used as it is, with the packages it holds
};

/// Where jobs run. *local* and *kubernetes* implement it.
///
/// @threads  safe to call concurrently.
class Target {
 public:
  virtual ~Target() = default;

  /// For the record: what the profile's name stands for.
  virtual std::string Identity() const = 0;

  /// What of `spec` this target refuses or does not apply.
  virtual std::vector<Limitation> Check(const JobSpec& spec) const = 0;

  /// Whether jobs run in container images, and not on this machine.
  virtual bool UsesImages() const = 0;

  /// What a job runs upon; nothing: this machine.
  virtual std::optional<BaseImage> BaseOf(const JobSpec& spec) const = 0;

  /// Finds what would keep the job from being started here at all, by asking whoever knows at once.
  /// It is called while the job is packaged, before anything is stored.
  virtual Status Preflight(const JobSpec& spec, std::stop_token stop) = 0;

  /// What Start would create elsewhere than in the store, for people; no values of secrets.
  virtual Result<std::vector<Value>> Describe(const Launch& launch) const = 0;

  /// Starts the job whose record is in the store. Launching a job that was launched changes
  /// nothing.
  virtual Status Start(const Launch& launch, std::stop_token stop) = 0;

  /// Has the packages made and stored, and returns when they are. Whoever wants the same at the
  /// same time follows one making, which goes with the client that began it when that is stopped.
  ///
  /// @param observer  hears what installers say, and why nothing has begun yet: Phase::kBuild.
  /// @errors  those of env::CarryOut, where it was carried out · kFailedPrecondition (it could not
  ///          begin, or was ended: why) · kUnimplemented (this target has no place for it) · those
  ///          of the cluster's server.
  virtual Status MakePackages(const PackagesLaunch& launch, Observer& observer,
                              std::stop_token stop) = 0;

  /// What MakePackages would create elsewhere than in the store, for people; no secrets.
  virtual Result<std::vector<Value>> DescribePackages(const PackagesLaunch& launch) const = 0;

  /// Asks for such a node, and returns when it is stopped or cannot: then nothing of it is left. It
  /// is best effort, and no job's success depends on it.
  ///
  /// @param asked  called once, when it has been asked for; what it is told is its name there.
  /// @errors  kUnimplemented (this target has no nodes) · kFailedPrecondition (nobody can tell
  /// which
  ///          node the job will need) · those of the cluster's server, of asking and of taking
  ///          back.
  virtual Status AskForNode(const NodeWish& wish,
                            const std::function<void(std::string_view)>& asked,
                            std::stop_token stop) = 0;

  /// How it stands; nothing: the target does not know it (any more).
  virtual Result<std::optional<Observation>> Observe(std::string_view id, std::stop_token stop) = 0;

  /// How all jobs stand that the target knows, by id, where one question tells that of all of them;
  /// it may be some seconds old. Nothing: they have to be asked after one by one.
  using Observations = std::map<std::string, Observation, std::less<>>;
  virtual Result<std::optional<Observations>> ObserveAll(std::stop_token stop) = 0;

  /// Why it is in its state, as far as the target itself knows; nothing: the target does not know
  /// it (any more).
  virtual Result<std::optional<Explanation>> Explain(std::string_view id, std::stop_token stop) = 0;

  /// Calls `each` with the present state and then with every change until the job is not alive.
  /// Its result is in the store when it is shown to have ended. Wakes by events, not by polling. An
  /// error of `each` ends it.
  virtual Status Watch(std::string_view id, const std::function<Status(const Observation&)>& each,
                       std::stop_token stop) = 0;

  /// Reads what of the log is not in the store yet, from a sequence number on; with `follow`, until
  /// the job has ended or more has moved to the store. Returns the sequence number after the last
  /// record read.
  virtual Result<std::uint64_t> Logs(std::string_view id, std::uint64_t from_sequence, bool follow,
                                     const LogReader& reader, std::stop_token stop) = 0;

  /// Asks it to stop, and returns when nothing of it is left.
  virtual Status Cancel(std::string_view id, std::stop_token stop) = 0;

  /// Removes what the target keeps of a job that is not alive.
  virtual Status Remove(std::string_view id, std::stop_token stop) = 0;

  /// Ends what dead supervisors left behind, and names the jobs that this concerns with the
  /// evidence.
  struct LostJob {
    std::string id;
    std::string evidence;
    std::optional<record::AttemptStatus> status;
    bool has_outcome = false;  ///< its outcome is known, and may be in no store yet
  };
  virtual Result<std::vector<LostJob>> Sweep(std::stop_token stop) = 0;

  /// Removes what starts that were broken off left where the jobs run, some time after, and names
  /// it. @param dry_run  only names it.
  virtual Result<std::vector<std::string>> RemoveLeftovers(bool dry_run, std::stop_token stop) = 0;

  /// What a job that nobody works on has left beside its log.
  /// Whether what the store has not of a log can be had of the target.
  struct RestOfLog {
    std::string silent;  ///< why there is no use in asking for it: "its node n2 does not answer"
    bool is_last_chance = false;  ///< what cannot be had now never will be
  };
  struct Remains {
    std::optional<record::StoredOutcome> outcome = {};  ///< how it ended, where that got known
    std::uint64_t output_files = 0;
    RestOfLog log = {};
  };
  /// Stores the value and the outputs that the target still has of a job that nobody works on. May
  /// be done any number of times.
  virtual Result<Remains> Collect(std::string_view id, store::Store& store,
                                  std::stop_token stop) = 0;
};

}  // namespace kinetic::target

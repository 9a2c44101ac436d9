#pragma once

#include "kinetic/explanation.h"
#include "kinetic/job.h"
#include "kinetic/job_spec.h"
#include "kinetic/observer.h"
#include "kinetic/prices.h"
#include "kinetic/value.h"

#include "base/hash/digest.h"
#include "env/environment_builder.h"
#include "local/runtime.h"
#include "record/job_record.h"
#include "record/outcome.h"
#include "record/status.h"
#include "store/object_store.h"

#include <functional>
#include <map>
#include <memory>
#include <optional>
#include <stop_token>
#include <string>
#include <string_view>
#include <vector>

namespace kinetic::backend {

class ContainerImages;  // these three: backend/capabilities.h
class NodeProvisioner;
class PodProber;

/// A key of the job file that this target rejects or ignores.
struct Limitation {
  std::string key;        ///< "array", "timeouts.pending"
  std::string reason;     ///< "not supported by the local target"
  bool refused = false;   ///< an error; otherwise listed as not applied
  std::string hint = {};  ///< what to do about an error
};

/// What a target starts.
struct Launch {
  const record::Record* record = nullptr;
  Digest record_digest;  ///< sha256 of record.json as stored
  /// The content of record.json if it was created for this launch; otherwise empty.
  std::string new_record = {};
  bool store_record = false;  ///< Start stores `new_record`
  std::optional<env::ReadyEnvironment> environment;
  std::map<std::string, std::string> secrets;  ///< values; never written to the store
  /// Files of this machine from which bundle and data were stored, by path in the job; "": bundle.
  std::map<std::string, local::StoredSource> sources = {};
};

/// A job's state as the target reports it. Only the store's result.json decides how a job ended.
struct Observation {
  record::AttemptStatus status;
  bool alive = false;      ///< a supervisor, or a pod, still works on it
  bool may_start = false;  ///< not alive, but may be about to start
  /// Why its supervisor does not respond, and what to do. Absent: it does, as far as known.
  std::optional<Error> unresponsive = {};
  bool is_hung = false;  ///< unresponsive for so long that waiting is useless
};

/// A job that the target reports as abandoned: nothing runs or supervises it any more.
struct AbandonedJob {
  std::string id;
  std::string evidence;  ///< "the process that ran it (812) is gone"
  std::optional<record::AttemptStatus> status;
  std::string outcome_location;  ///< of an outcome that only this machine has; empty: none
  bool is_elsewhere = false;     ///< on another target, which is not queried
  /// Time since its start by the target's clock. Never longer than the actual time. Absent if
  /// unknown.
  std::optional<WallTime::duration> age = {};
};

/// Whether the target can still provide the part of a log that is not in the store.
struct LogAvailability {
  std::string unavailable_reason;  ///< "its node n2 does not respond"; empty: the log can be read
  bool is_final = false;           ///< unreadable records are lost
};

/// The state that an abandoned job left on the target.
struct CollectedState {
  std::optional<record::StoredOutcome> outcome = {};  ///< how it ended, if known
  LogAvailability log = {};
};

/// What was read of a log.
struct LogRead {
  std::uint64_t next_sequence = 0;  ///< the sequence number after the last record read
  bool is_whole = false;            ///< known to be the end of the log of a job that has ended
};

/// The states of jobs, by id.
using Observations = std::map<std::string, Observation, std::less<>>;

/// Properties of a target on which the handling of its jobs depends.
struct TargetTraits {
  bool is_remote = false;              ///< operations wait for a network
  bool runner_stores_log = false;      ///< the whole log is in the store before the result
  bool runner_awaits_record = false;   ///< a job may start before its record is stored
  bool runner_stores_record = false;   ///< supports Launch::store_record, which saves time
  bool runner_flushes_record = false;  ///< makes the client's record and index entry durable
  bool has_accelerators = false;       ///< jobs get the accelerators that they request
  bool is_scripted = false;            ///< jobs run no code, so they need no packages and no image
};

/// Where jobs run. *local* and *kubernetes* implement it, and *scripted* simulates it for tests.
///
/// All targets implement these methods. Optional features are capabilities: an accessor returns
/// nullptr if the target does not have the feature. Capabilities live as long as the target.
///
/// @threads  safe to call concurrently, capabilities included.
class Target {
 public:
  virtual ~Target() = default;

  /// Returns the identity of this machine or cluster, for records.
  virtual std::string Identity() const = 0;

  virtual TargetTraits Traits() const = 0;

  /// Returns the keys of `spec` that this target rejects or ignores.
  virtual std::vector<Limitation> Check(const JobSpec& spec) const = 0;

  /// Returns how long each attempt of the job may run within its max_cost, or nullopt if there is
  /// no such limit. Check has accepted the spec.
  virtual std::optional<std::chrono::milliseconds> RunLimit(const JobSpec& /*spec*/) const {
    return std::nullopt;
  }

  /// Returns the price of the nodes that the job will run on, or nullopt if it costs nothing or their
  /// location is unknown.
  virtual std::optional<JobPrice> PriceOf(const JobSpec& /*spec*/) const { return std::nullopt; }

  /// Finds reasons why the target would reject any job, before anything is stored.
  virtual Status Preflight(std::stop_token /*stop*/) { return {}; }

  /// Returns the manifests that Start would create, without the values of secrets. Empty if jobs
  /// have no manifests.
  virtual Result<std::vector<Value>> DescribeJob(const Launch& /*launch*/,
                                                 std::stop_token /*stop*/) {
    return std::vector<Value>();
  }

  /// Starts the job whose record is in the store. Does nothing if it was started before.
  virtual Status Start(const Launch& launch, std::stop_token stop) = 0;

  /// Returns the job's state, or nullopt if the target has no trace of it.
  virtual Result<std::optional<Observation>> Observe(std::string_view id, std::stop_token stop) = 0;

  /// Returns the states of all jobs with one request; they may be some seconds old. Empty if the
  /// target has no such request.
  virtual Result<Observations> ObserveAll(std::stop_token /*stop*/) { return Observations(); }

  /// Calls `ended` with the ID of each job whose program has ended, perhaps several times and
  /// before its result is stored. Runs until it is stopped, or returns at once if the target does
  /// not report ends.
  ///
  /// @errors  kCancelled · those of the cluster.
  virtual Status WatchEnds(const std::function<void(std::string_view id)>& /*ended*/,
                           std::stop_token /*stop*/) {
    return {};
  }

  /// Returns why the job is in its state, or nullopt if the target has no trace of it.
  virtual Result<std::optional<Explanation>> Explain(std::string_view id, std::stop_token stop) = 0;

  /// Calls `each` with the present state and with every change until the job is not alive. When an
  /// ended job is reported, its result is in the store. An error of `each` ends the watch.
  virtual Status Watch(std::string_view id, const std::function<Status(const Observation&)>& each,
                       std::stop_token stop) = 0;

  /// Reads the part of the log that is not in the store, from a sequence number on. With `follow`
  /// it returns when the job has ended or more of the log has moved to the store.
  virtual Result<LogRead> Logs(std::string_view id, std::uint64_t from_sequence, bool follow,
                               const LogRecordSink& reader, std::stop_token stop) = 0;

  /// Stops the job, and returns when none of its processes is running. Kills a supervisor that does
  /// not respond.
  virtual Status Cancel(std::string_view id, std::stop_token stop) = 0;

  /// Makes the runner of a job check for requests in the store at once, if the target supports it.
  virtual void Wake(std::string_view /*id*/) {}

  /// Ends what runs of a job of which Observe finds no trace. Returns whether there was something.
  virtual Result<bool> EndOrphanedProcesses(std::string_view /*nonce*/, std::stop_token /*stop*/) {
    return false;
  }

  /// Removes the target's state of a job that is not alive.
  virtual Status Remove(std::string_view id, std::stop_token stop) = 0;

  /// Ends processes that dead supervisors left, and returns their jobs.
  virtual Result<std::vector<AbandonedJob>> Sweep(std::stop_token stop) = 0;

  /// Stores the value and the outputs of an abandoned job that the target still has. Idempotent.
  virtual Result<CollectedState> Collect(std::string_view id, store::Store& store,
                                         std::stop_token stop) = 0;

  /// Deletes leftover objects of interrupted submissions after a delay, and returns their names.
  ///
  /// @param dry_run  deletes nothing.
  virtual Result<std::vector<std::string>> RemoveOrphans(bool /*dry_run*/,
                                                         std::stop_token /*stop*/) {
    return std::vector<std::string>();
  }

  /// The images that jobs run in. Without it jobs run in environments of this machine.
  virtual ContainerImages* container_images() { return nullptr; }
  /// Pods that check what they need.
  virtual PodProber* pod_prober() { return nullptr; }
  /// Nodes that are requested ahead of a job.
  virtual NodeProvisioner* node_provisioner() { return nullptr; }
};

}  // namespace kinetic::backend

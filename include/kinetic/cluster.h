#pragma once

#include "kinetic/accelerator.h"
#include "kinetic/cloud.h"
#include "kinetic/export.h"
#include "kinetic/image.h"
#include "kinetic/profile.h"
#include "kinetic/result.h"
#include "kinetic/value.h"

#include <chrono>
#include <cstdint>
#include <memory>
#include <optional>
#include <stop_token>
#include <string>
#include <string_view>
#include <vector>

namespace kinetic {

/// Identical nodes, which GKE creates for waiting jobs and deletes when they are idle.
struct NodePoolSpec {
  std::string name;  ///< empty: the accelerator's name, with "-spot" or "-flex" for such nodes
  Accelerator accelerator;
  bool spot = false;
  bool flex_start = false;      ///< GKE waits for capacity; nodes exist for at most seven days
  std::string reservation;      ///< name of a reservation to use; empty: none
  std::uint32_t max_nodes = 0;  ///< 0: as many as one job needs, or as the pool has
};

/// A GKE Standard cluster and what belongs to it: a bucket, an image repository, service accounts.
struct ClusterSpec {
  std::string project;
  std::string location;  ///< a zone; empty: chosen from `locations`
  /// Zones from which PlanUp chooses the first one with the machine types and quota for all pools.
  /// Empty: a zone known to have the accelerator of the first pool.
  std::vector<std::string> locations;
  std::string name = "kinetic";
  std::string network;     ///< an existing network; empty: "default"
  std::string name_space;  ///< of jobs; empty: "kinetic"
  std::vector<NodePoolSpec> pools;
  /// Time after Apply at which a CronJob deletes the cluster with the jobs on it. 0: never; nullopt:
  /// unchanged.
  std::optional<std::chrono::seconds> ttl;
  /// Time without jobs after which a CronJob deletes the cluster. 0: never; nullopt: unchanged.
  std::optional<std::chrono::seconds> down_when_idle;
  /// Email addresses of people who each get a namespace and a store that only they can access.
  std::vector<std::string> users;
};

/// Parses kinetic.yaml.
///
/// @param   file  begins every message.
/// @errors  kInvalidArgument, with line and column.
KINETIC_EXPORT Result<ClusterSpec> ParseClusterFile(std::string_view text, std::string_view file);

/// What a command needs to change a cluster.
struct ClusterAdminOptions {
  CloudOptions cloud;
  RegistryOptions registry;
  RunnerImageRequest runner_image;  ///< its name is not used
  std::filesystem::path cache;      ///< as ClientOptions::cache
  LogSink* log = nullptr;           ///< receives every request; may be null
};

/// kReplace: deletes a cluster or node pool and creates it again, because it failed or GKE cannot
/// change it.
enum class PlanAction : std::uint8_t { kKeep, kCreate, kChange, kReplace, kDelete };

/// Returns the action as a word: "create".
KINETIC_EXPORT std::string_view Name(PlanAction action);

/// A request of a plan, for --dry-run.
struct PlannedRequest {
  std::string method;
  std::string url;
  Value body;  ///< null: none
};

/// One resource of a plan.
struct PlanStep {
  PlanAction action = PlanAction::kKeep;
  std::string kind;     ///< "node pool"
  std::string name;     ///< "v5litepod-1"
  std::string detail;   ///< what it is, or what changes
  std::string warning;  ///< a difference that is not changed
  std::chrono::minutes expected{0};
  std::vector<PlannedRequest> requests;   ///< empty: kKeep
  std::vector<std::string> running_jobs;  ///< IDs of jobs that kReplace would end
};

/// List prices in US dollars per hour.
struct ClusterPrice {
  double idle = 0;             ///< without jobs
  std::optional<double> busy;  ///< with every pool at its maximum; nullopt: a price is unknown
  std::optional<double> busy_before;  ///< same, before the plan; nullopt: unknown, or none exists
  std::string date;                   ///< of the price list: "2026-08-19"
};

/// A quota that a node pool uses. Reservations need none.
struct QuotaNeed {
  std::string name;  ///< "TPU_LITE_PODSLICE_V5"
  std::string region;
  double needed = 0;
  std::optional<double> available;  ///< nullopt: unknown
};

/// Receives the progress of a plan. Called concurrently, for different steps.
class KINETIC_EXPORT PlanObserver {
 public:
  virtual ~PlanObserver() = default;
  virtual void OnStepStarted(const PlanStep& step) = 0;
  virtual void OnStepFinished(const PlanStep& step, const Status& status) = 0;
  /// Reports what a step waits for, for example a grant that is not yet visible.
  virtual void OnStepWaiting(const PlanStep& step, std::string_view reason) = 0;
};

/// A person with their own namespace and store.
struct ClusterUser {
  std::string email;
  Profile profile;  ///< with which this person runs jobs
};

/// What a command is about to do, computed from what exists. Nothing has been changed yet.
class KINETIC_EXPORT ClusterPlan {
 public:
  struct State;
  explicit ClusterPlan(std::shared_ptr<State> state);

  const std::vector<PlanStep>& steps() const;
  /// Returns whether nothing would be created, changed or deleted.
  bool IsEmpty() const;
  const ClusterSpec& spec() const;  ///< with the location that was chosen
  const ClusterPrice& price() const;
  const std::vector<QuotaNeed>& quotas() const;
  const std::vector<std::string>& warnings() const;
  /// Returns the jobs that would be lost with the cluster or node pool; only for PlanDown (their
  /// Kubernetes names) and PlanPoolRemoval (their IDs).
  const std::vector<std::string>& running_jobs() const;
  /// Returns why running_jobs() is unknown: the error with which they were listed. The caller must
  /// ask before it applies such a plan.
  const Status& running_jobs_status() const;

  /// Performs the steps, independent ones in parallel. If a step fails, the steps that depend on it
  /// are skipped and the others finish. May be repeated with a new plan, also after the process was
  /// killed.
  ///
  /// @errors  of the first step that failed: kPermissionDenied (with the role to ask for) ·
  ///          kResourceExhausted (quota, capacity) · kFailedPrecondition · kUnavailable ·
  ///          kCancelled.
  Status Apply(PlanObserver& observer, std::stop_token stop = {}) const;

  /// Returns the profile for jobs on the cluster, complete after Apply.
  Profile profile() const;
  /// Returns the users of spec() with their profiles, complete after Apply.
  std::vector<ClusterUser> users() const;

 private:
  std::shared_ptr<State> state_;
};

/// Plans a cluster: compares `spec` with what exists in the project. Apply performs all steps, so
/// the caller must ask before it applies a plan with kReplace.
///
/// @errors   kInvalidArgument (an invalid name, a location without such a machine type: the hint
///           lists locations) · kNotFound (the project) · kPermissionDenied · kFailedPrecondition
///           (no billing account; a cluster of that name that kinetic did not create) ·
///           kUnauthenticated · kUnavailable.
/// @threads  safe to call concurrently.
KINETIC_EXPORT Result<ClusterPlan> PlanUp(const ClusterSpec& spec,
                                          const ClusterAdminOptions& options,
                                          std::stop_token stop = {});

/// Plans the removal of what PlanUp created: by labels and recorded names, nothing else.
///
/// @param   purge  also delete the bucket with all jobs and outputs.
/// @errors  as PlanUp.
KINETIC_EXPORT Result<ClusterPlan> PlanDown(const ClusterSpec& spec, bool purge,
                                            const ClusterAdminOptions& options,
                                            std::stop_token stop = {});

/// Plans one node pool of a cluster that PlanUp created. price() is that of the pool alone.
///
/// @errors  kNotFound: no such cluster · those of PlanUp.
KINETIC_EXPORT Result<ClusterPlan> PlanPoolAddition(const ClusterSpec& spec,
                                                    const NodePoolSpec& pool,
                                                    const ClusterAdminOptions& options,
                                                    std::stop_token stop = {});

/// Plans the removal of a user: access to the cluster and the bucket, and the namespace.
/// running_jobs() are those of the user.
///
/// @param   purge  also delete the user's jobs and outputs.
/// @errors  kInvalidArgument (not an email address) · those of PlanDown.
KINETIC_EXPORT Result<ClusterPlan> PlanUserRemoval(const ClusterSpec& spec,
                                                   const std::string& email, bool purge,
                                                   const ClusterAdminOptions& options,
                                                   std::stop_token stop = {});

/// Plans the removal of one node pool. running_jobs() are those on its nodes, and price() is that of
/// the pool alone.
///
/// @errors  kNotFound: no such pool · those of PlanDown.
KINETIC_EXPORT Result<ClusterPlan> PlanPoolRemoval(const ClusterSpec& spec, const std::string& pool,
                                                   const ClusterAdminOptions& options,
                                                   std::stop_token stop = {});

/// Plans another maximum number of nodes for one node pool. price() is that of the pool alone.
///
/// @errors  kNotFound: no such pool · those of PlanUp.
KINETIC_EXPORT Result<ClusterPlan> PlanPoolResize(const ClusterSpec& spec, const std::string& pool,
                                                  std::uint32_t max_nodes,
                                                  const ClusterAdminOptions& options,
                                                  std::stop_token stop = {});

/// A node pool as it is now.
struct NodePoolStatus {
  std::string name;
  std::string machine_type;
  bool spot = false;
  std::string status;       ///< GKE's: "RUNNING"
  std::uint32_t nodes = 0;  ///< that exist
  std::uint32_t max_nodes = 0;
  std::optional<double> price;  ///< of one node in US dollars per hour; nullopt: unknown
};

/// A cluster as it is now.
struct ClusterStatus {
  std::string name;
  std::string location;
  std::string status;   ///< GKE's: "RUNNING"
  std::string version;  ///< of Kubernetes: "1.34.1-gke.100"
  std::vector<NodePoolStatus> pools;
  std::vector<std::string> users;  ///< email addresses
  std::size_t running_jobs = 0;
  std::optional<double> price_per_hour;  ///< of all existing nodes; nullopt: a price is unknown
  /// Estimate for the cluster and its existing nodes since they were created. Deleted nodes are not
  /// included.
  std::optional<double> cost_this_month;
  std::string price_date;
  /// When a CronJob deletes the cluster; nullopt: never.
  std::optional<std::chrono::system_clock::time_point> expires;
  std::optional<std::chrono::seconds> down_when_idle;  ///< as ClusterSpec; nullopt: never
};

/// Returns what exists of a cluster, including one that kinetic did not create.
///
/// @errors  kNotFound: no such cluster · those of PlanDown.
KINETIC_EXPORT Result<ClusterStatus> GetClusterStatus(const ClusterSpec& spec,
                                                      const ClusterAdminOptions& options,
                                                      std::stop_token stop = {});

/// A zone that has the nodes of an accelerator.
struct AcceleratorOffer {
  Accelerator accelerator;
  std::string zone;
  std::optional<double> price;       ///< list price of all nodes in US dollars per hour
  std::optional<double> spot_price;  ///< same, for Spot nodes
  std::optional<double> quota;       ///< chips that the project may still use; nullopt: unknown
  std::optional<double> spot_quota;
  std::vector<std::string> reservations;  ///< of the project, for such nodes
};

/// Returns the zones that have the nodes of an accelerator, by name.
///
/// @errors  those of PlanUp.
KINETIC_EXPORT Result<std::vector<AcceleratorOffer>> FindOffers(const std::string& project,
                                                                const Accelerator& accelerator,
                                                                const ClusterAdminOptions& options,
                                                                std::stop_token stop = {});

/// Something that exists and costs money.
struct BilledResource {
  std::string kind;  ///< "disk"
  std::string name;
  std::string location;
};

/// Returns the resources of a cluster that still cost money after it was deleted: disks, addresses
/// and load balancers.
///
/// @errors  those of PlanUp.
KINETIC_EXPORT Result<std::vector<BilledResource>> FindLeftovers(const ClusterSpec& spec,
                                                                 const ClusterAdminOptions& options,
                                                                 std::stop_token stop = {});

}  // namespace kinetic

#pragma once

#include "kinetic/cluster_plan.h"
#include "kinetic/cluster_status.h"

#include "connect/connection.h"
#include "google/api/client.h"
#include "provision/join/existing_cluster.h"
#include "provision/resource.h"
#include "provision/scope.h"
#include "provision/shutdown/policy.h"

#include <memory>
#include <optional>
#include <stop_token>
#include <string>
#include <vector>

namespace kinetic {

/// The resources behind the steps of a plan.
struct ClusterPlan::State {
  ClusterSpec spec;
  ClusterAdminOptions options;
  std::shared_ptr<http::Transport> transport;
  std::optional<google::ApiClient> api;
  provision::Scope scope;
  std::vector<std::string> zones;  ///< for a cluster that does not exist; scope has the first one
  std::vector<provision::ExistingPool> existing_pools;  ///< of the cluster, before the plan
  bool is_zone_unchecked = false;                       ///< until the Compute Engine API is enabled
  std::vector<std::unique_ptr<provision::Resource>> resources;
  std::vector<PlanStep> steps;  ///< of the resources, in the same order
  bool removes = false;
  bool keeps_cluster = false;  ///< found by PlanRemoval: one of another location, or not kinetic's
  std::optional<provision::ShutdownPolicy>
      shutdown;                    ///< of the CronJob that deletes the cluster, if it has one
  std::vector<std::string> users;  ///< email addresses
  ClusterPrice price;
  std::vector<QuotaNeed> quotas;
  std::vector<std::string> warnings;
  std::vector<std::string> running_jobs;
  Status running_jobs_status;  ///< why running_jobs is unknown
  std::string runner_image;    ///< reference
};

}  // namespace kinetic

namespace kinetic::provision {

/// Checks what needs no request: the project, the name, the pools.
///
/// @errors  kInvalidArgument.
Status CheckSpec(const ClusterSpec& spec);

/// Same, and also checks what PlanUp requires: short names, and zones.
///
/// @errors  kInvalidArgument.
Status CheckNewCluster(const ClusterSpec& spec);

/// Checks that a job can use new node pools.
///
/// @errors  kInvalidArgument: a multi-host slice.
Status CheckNewPools(const std::vector<NodePoolSpec>& pools);

/// Opens the connection to Google's APIs.
///
/// @errors  those of connect::Connection::Open.
Result<std::shared_ptr<connect::Connection>> Connect(const ClusterAdminOptions& options,
                                                     std::stop_token stop);

/// Opens the connection and finds the project. The scope has the location of the spec. Unless the
/// options or missing permissions say otherwise, requests count for this project, so that their
/// errors are about it.
///
/// @errors  kNotFound, kPermissionDenied (the project) · those of Connect.
Result<std::shared_ptr<ClusterPlan::State>> OpenProject(const ClusterSpec& spec,
                                                        const ClusterAdminOptions& options,
                                                        std::stop_token stop);

/// Same, and finds or chooses the location if the spec has none.
///
/// @errors  those of OpenProject and CheckOtherLocations.
Result<std::shared_ptr<ClusterPlan::State>> OpenState(const ClusterSpec& spec,
                                                      const ClusterAdminOptions& options,
                                                      std::stop_token stop);

/// The parts of OpenProject and OpenState that need only `api`, `spec` and `options`.
Status FindProject(ClusterPlan::State& state, const std::stop_token& stop);
Status FindLocation(ClusterPlan::State& state, const std::stop_token& stop);

/// The part of PlanDown that decides what is removed. Nothing is, unless all of it can be read.
Status PlanRemoval(ClusterPlan::State& state, bool purge, const std::stop_token& stop);

/// FindRemainingResources for a project that is open.
Result<std::vector<BilledResource>> FindRemaining(const ClusterPlan::State& state,
                                                  const std::stop_token& stop);

/// Checks that kinetic created the cluster.
///
/// @errors  kNotFound.
Status CheckCreatedByKinetic(const ClusterPlan::State& state, std::stop_token stop);

/// Sets the resources that belong to the cluster, in the order in which they are created.
void AddResources(ClusterPlan::State& state);

/// Removes the resources from `state` that are not to be removed, and adds the steps of the others.
Status KeepOurs(ClusterPlan::State& state, bool purge, const std::stop_token& stop);

/// Sets the jobs that would be lost. An error is stored in the plan, because the user may delete
/// the cluster without knowing them.
///
/// @param user  email address, whose jobs are meant; empty: all jobs.
/// @errors  kCancelled.
Status FindRunningJobs(ClusterPlan::State& state, const std::string& user,
                       const std::stop_token& stop);

/// Compares a resource with what exists.
Result<PlanStep> ReadStep(const google::ApiClient& api, Resource& resource, std::stop_token stop);

/// Adds the quotas that `pools` and the other existing pools of the cluster need, with a warning about
/// each one that is too small. Adds nothing without pools.
///
/// @errors  kCancelled.
Status AddQuotas(ClusterPlan::State& state, std::vector<NodePoolSpec> pools,
                 const std::stop_token& stop);

/// Returns a step's requests for display.
std::vector<PlannedRequest> ToPlanned(const google::ApiClient& api,
                                      const std::vector<google::ApiRequest>& requests);

}  // namespace kinetic::provision

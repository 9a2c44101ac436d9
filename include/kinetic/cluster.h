#pragma once

#include "kinetic/cluster_plan.h"
#include "kinetic/cluster_spec.h"
#include "kinetic/export.h"
#include "kinetic/result.h"

#include <cstdint>
#include <stop_token>
#include <string>

namespace kinetic::inline v0 {

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

}  // namespace kinetic::inline v0

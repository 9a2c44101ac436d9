#pragma once

#include "kinetic/explanation.h"

#include "backend/kubernetes/snapshot/cluster_snapshot.h"
#include "backend/target.h"
#include "kube/client.h"
#include "record/outcome.h"
#include "store/object_store.h"

#include <optional>
#include <stop_token>
#include <string>
#include <string_view>
#include <vector>

namespace kinetic::backend {

/// Returns the outcome of a job that has ended or can never start, and has no result from its
/// runner: the state of the cluster, combined with what the collector stored of the last attempt.
/// Pure.
///
/// @param attempt    attempts/{n}/0/result.json of the last attempt; nullopt: none.
/// @param cancelled  a client requested the cancellation.
record::StoredOutcome OutcomeOf(const Observed& observed, const Explanation& explanation,
                                std::optional<record::StoredOutcome> attempt, bool cancelled);

/// Returns the evidence as one line for the record: its first item, or the headline.
std::string EvidenceOf(const Explanation& explanation);

/// Returns whether the log of an ended job can be read from its pods. It is lost if the newest pod
/// or its node no longer exists. It also counts as lost five minutes after the end, when Kubernetes
/// gives up the pods of a node that does not respond.
///
/// @param observed  with the events and the nodes of the pods.
Target::RestOfLog RestOf(const Observed& observed, WallTime now);

/// Implements Target::Collect for a cluster: combines the state of the cluster with what the
/// collector stored of the last attempt. Value and outputs are in the store or lost.
Result<Target::Remains> RemainsOf(const Observed& observed, std::string_view id,
                                  store::Store& store, WallTime now, std::stop_token stop);

}  // namespace kinetic::backend

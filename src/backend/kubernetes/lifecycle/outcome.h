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
record::StoredOutcome OutcomeOf(const ClusterSnapshot& snapshot, const Explanation& explanation,
                                std::optional<record::StoredOutcome> attempt, bool cancelled);

/// Returns the evidence as one line for the record: its first item, or the headline.
std::string EvidenceLine(const Explanation& explanation);

}  // namespace kinetic::backend

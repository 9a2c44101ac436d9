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

/// The outcome of a job that has ended, or can never start, and whose runner did not write one:
/// what the cluster shows, joined to what the collector stored of the last attempt. Pure.
///
/// @param attempt    attempts/{n}/0/result.json of the last attempt, where there is one.
/// @param cancelled  somebody asked for the job to be cancelled.
record::StoredOutcome OutcomeOf(const Observed& observed, const Explanation& explanation,
                                std::optional<record::StoredOutcome> attempt, bool cancelled);

/// The evidence on one line, for those who ask later: the first of it, or the headline.
std::string EvidenceOf(const Explanation& explanation);

/// Whether the log of a job that has ended can be read from its pods. It never will be when the
/// newest of them is gone, or its node; and five minutes after the end, which is as long as
/// Kubernetes waits for a node that does not answer before it gives up the pods there.
///
/// @param observed  with the events and the nodes of the pods
Target::RestOfLog RestOf(const Observed& observed, WallTime now);

/// Target::Collect for a cluster: the outcome that the cluster shows, joined to what the collector
/// of the last attempt stored. Value and outputs are in the store, or nowhere.
Result<Target::Remains> RemainsOf(const Observed& observed, std::string_view id,
                                  store::Store& store, WallTime now, std::stop_token stop);

}  // namespace kinetic::backend

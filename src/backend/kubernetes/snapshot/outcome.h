#pragma once

#include "kinetic/explanation.h"

#include "backend/kubernetes/snapshot/cluster_snapshot.h"
#include "record/outcome.h"

#include <optional>
#include <string>

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

}  // namespace kinetic::backend

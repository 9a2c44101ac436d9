#pragma once

#include "kinetic/job.h"
#include "kinetic/job_spec.h"

#include "context.h"

#include <optional>

namespace kinetic::cli {

/// Notes the list price per hour of the accelerators of a job on GKE, if it is known.
///
/// @returns  the price in US dollars per hour if the job can run on one accelerator only.
std::optional<double> NotePrice(const JobSpec& spec, const Settings& settings, Context& context);

/// Notes what a job has cost, from the time that it was scheduled on a node to its end.
void NoteCost(const Outcome& outcome, double price_per_hour, Context& context);

}  // namespace kinetic::cli

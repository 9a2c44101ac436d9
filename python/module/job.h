#pragma once

#include "kinetic/job.h"
#include "kinetic/prices.h"

#include "owned.h"

#include <nanobind/nanobind.h>

namespace kinetic::python {

/// kinetic._kinetic.Job: a handle to a submitted job, or to a task of an array.
struct JobHandle {
  Owned<Job> job;
  Prices prices;  ///< the client's
};

/// Returns a dict with the fields of a summary, and with the cost of the job until now.
nanobind::dict SummaryFields(const JobSummary& summary, const Prices& prices);

void BindJob(nanobind::module_& module);
void BindClient(nanobind::module_& module);

}  // namespace kinetic::python

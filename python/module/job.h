#pragma once

#include "kinetic/job.h"

#include "owned.h"

#include <nanobind/nanobind.h>

namespace kinetic::python {

/// kinetic._kinetic.Job: a handle to a submitted job, or to a task of an array.
struct JobHandle {
  Owned<Job> job;
};

/// Returns a dict with the fields of a summary.
nanobind::dict SummaryFields(const JobSummary& summary);

void BindJob(nanobind::module_& module);
void BindClient(nanobind::module_& module);

}  // namespace kinetic::python

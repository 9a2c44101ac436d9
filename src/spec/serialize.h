#pragma once

#include "kinetic/job_spec.h"
#include "kinetic/value.h"

namespace kinetic::spec {

/// The spec as record.json holds it: the keys of job.yaml in a fixed order, with their values in
/// one canonical form each (bytes and milliseconds as integers, accelerators as a list of names);
/// what is absent is left out.
///
/// Positions and the job file's folder are no part of it: the code's own paths (bundle.root,
/// dependencies.file, image.dockerfile) are written relative to that folder, so that the same job
/// in two checkouts has the same form. Data sources stay as they are.
Value ToValue(const JobSpec& spec);

/// Reads what ToValue wrote; unknown members are tolerated. The code's own paths come back relative
/// and `directory` and `positions` empty: ToValue(FromValue(v)) is v.
///
/// @errors  kDataLoss, naming the member: "spec: retry.on: expected exit:N, found exit:x".
Result<JobSpec> FromValue(const Value& value);

}  // namespace kinetic::spec

#pragma once

#include "kinetic/job_spec.h"
#include "kinetic/value.h"

namespace kinetic::jobspec {

/// Returns the spec in the form of record.json: the keys of job.yaml in a fixed order and canonical
/// values (bytes and milliseconds as integers, accelerators as a list of names). Absent keys are
/// omitted.
///
/// Positions and the job file's folder are omitted. Paths to code (bundle.root, dependencies.file,
/// image.dockerfile) are relative to that folder, so two checkouts of a job have the same form.
/// Data sources are unchanged.
Value ToValue(const JobSpec& spec);

/// Checks that all text of a spec is UTF-8, which records require. Paths on this machine may have
/// other bytes.
///
/// @errors  kInvalidArgument with the key and its position: "--arg x: args.x: not valid UTF-8".
Status CheckText(const JobSpec& spec);

/// Reads the output of ToValue and ignores unknown fields. Paths to code are relative, and
/// `directory` and `positions` are empty: ToValue(FromValue(v)) == v.
///
/// @errors  kDataLoss with the field: "spec: retry.on: expected exit:N, found exit:x".
Result<JobSpec> FromValue(const Value& value);

}  // namespace kinetic::jobspec

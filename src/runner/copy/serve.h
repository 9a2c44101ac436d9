#pragma once

#include "kinetic/result.h"

#include "local/program_files.h"
#include "local/runtime.h"
#include "record/copy.h"
#include "record/job_record.h"
#include "runner/copy/counter.h"
#include "store/object_store.h"

#include <stop_token>
#include <string>

namespace kinetic::runner {

/// A running job, to and from which files are copied.
struct CopiedJob {
  store::Store& store;
  const local::ProgramFiles& files;
  const record::Record& record;
  local::Runtime runtime;
};

/// Copies files between a job's folders and the objects of one request: docs/reference/runner.md,
/// "Copies".
///
/// @param id  of the request.
/// @errors  kInvalidArgument (the path) · kNotFound (with the nearest name) · kFailedPrecondition
///          (a file where a folder is needed, or the reverse) · kPermissionDenied · kCancelled ·
///          those of Store and FileSystem.
Result<record::CopyAnswer> ServeCopy(const CopiedJob& job, const std::string& id,
                                     const record::CopyRequest& request, CopyCounter& counter,
                                     const std::stop_token& stop);

}  // namespace kinetic::runner

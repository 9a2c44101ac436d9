#pragma once

#include "kinetic/result.h"
#include "kinetic/value.h"

#include "record/job_record.h"

#include <map>
#include <string>

namespace kinetic::backend {

/// The Secret that a job's secrets travel in: immutable, and named as its Job.
///
/// @param name_space  where the Job is.
/// @param store       of the job; a Secret that no Job came to own is found by it.
/// @param secrets     values by the names of variables; not empty.
/// @errors  kInvalidArgument: a name that cannot be a Secret's key, a value that no variable can
///          hold, or more than a Secret holds; kFailedPrecondition: the record names a secret that
///          has no value. No message shows a value.
Result<Value> SecretOf(const record::Record& record, const std::string& name_space,
                       const std::string& store, const std::map<std::string, std::string>& secrets);

/// What is merged into the Secret once the Job is there (kMerge), so that it goes with it.
///
/// @param created_job  as the server answered: with its uid.
Value OwnerPatch(const Value& created_job);

}  // namespace kinetic::backend

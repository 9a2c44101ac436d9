#pragma once

#include "kinetic/job_spec.h"
#include "kinetic/result.h"

#include "env/lock.h"
#include "job/context.h"
#include "record/job_record.h"

#include <optional>
#include <stop_token>
#include <string>
#include <string_view>
#include <vector>

/// The parts of an earlier job that its record refers to.
namespace kinetic::job {

/// Returns the record of a job that was found.
///
/// @param operation  what needs it, for the error: "compare".
/// @errors  kNotFound: the job was removed since · kDataLoss · errors of Store.
Result<record::Record> RequireRecord(Context& context, std::string_view id,
                                     std::string_view operation, std::stop_token stop);

/// Returns the arguments of a job.
///
/// @errors  kDataLoss: missing, or different from their digest · errors of Store.
Result<Arguments> ReadArgumentsOf(Context& context, const record::Record& record,
                                  std::stop_token stop);

/// Returns the arguments of all tasks of an array, by index.
///
/// @errors  those of ReadArgumentsOf.
Result<std::vector<Arguments>> ReadTaskArgumentsOf(Context& context, const record::Record& record,
                                                   std::stop_token stop);

/// Returns what was submitted: the spec with the arguments, which the record may only refer to. The
/// arguments of the tasks of an array are in ArraySpec::over, complete with those in `args`.
///
/// @errors  those of ReadArgumentsOf.
Result<JobSpec> ReadSpecOf(Context& context, const record::Record& record, std::stop_token stop);

/// Returns arguments as an entry of ArraySpec::over.
Value TaskEntry(Arguments args);

/// Returns the listings of the job's data in buckets, in the order of Record::listed_data.
///
/// @errors  kDataLoss: missing, or different from its digest · errors of Store.
Result<std::vector<std::string>> ReadListingsOf(Context& context, const record::Record& record,
                                                std::stop_token stop);

/// Returns the lock of the job's packages. Returns nullopt if the job has no environment, or if the
/// store has no lock or another one, because the packages were resolved again.
///
/// @errors  kDataLoss: a damaged lock · errors of Store.
Result<std::optional<env::Lock>> FindLockOf(Context& context, const record::Record& record,
                                            std::stop_token stop);

}  // namespace kinetic::job

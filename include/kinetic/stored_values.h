#pragma once

#include "kinetic/job.h"
#include "kinetic/value.h"

#include <stop_token>

namespace kinetic::inline v0 {

/// Returns a job's value together with its arrays and long bytes, which are stored apart from it.
/// Arrays get the tagged form `$npy`, so that `As<NdArray<float>>()` converts them, and bytes get
/// the form `$bytes`, so that `As<Bytes>()` does.
///
/// @param value  the value of the job's outcome, or a part of it.
/// @errors       those of Job::ReadStored.
KINETIC_EXPORT Result<Value> LoadStored(const Job& job, const Value& value,
                                        std::stop_token stop = {});

}  // namespace kinetic::inline v0

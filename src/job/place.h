#pragma once

#include "kinetic/error.h"
#include "kinetic/job_spec.h"

#include <string>
#include <string_view>

namespace kinetic::job {

/// "job.yaml:3:7: " where the key was written in a file; nothing otherwise.
///
/// @param key  by its path: "resources.memory".
std::string PlaceOf(const JobSpec& spec, std::string_view key);

/// An error whose message begins with "key: ", at the place where the job has that key. Others are
/// left as they are.
Error AtPlaceOf(const JobSpec& spec, std::string_view key, Error error);

}  // namespace kinetic::job

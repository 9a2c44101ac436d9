#pragma once

#include "kinetic/error.h"
#include "kinetic/job_spec.h"

#include <string>
#include <string_view>

namespace kinetic::jobspec {

/// Returns the location of a key in the job file, "job.yaml:3:7: ". Returns an empty string if the
/// key is not in a file.
///
/// @param key  the key's path, "resources.memory".
std::string KeyPosition(const JobSpec& spec, std::string_view key);

/// Adds the location of the key to an error whose message starts with "key: ". Returns other errors
/// unchanged.
Error WithKeyPosition(const JobSpec& spec, std::string_view key, Error error);

}  // namespace kinetic::jobspec

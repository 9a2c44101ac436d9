#pragma once

#include "kinetic/job_spec.h"

#include "job/context.h"

#include <optional>
#include <string>

namespace kinetic::job {

/// Returns a warning if the job may end after the credential for its store expires.
std::optional<std::string> CredentialWarning(const Context& context, const JobSpec& spec);

}  // namespace kinetic::job

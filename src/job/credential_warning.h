#pragma once

#include "kinetic/job_spec.h"

#include "job/context.h"

#include <optional>
#include <string>

namespace kinetic::job {

/// What to say of a job whose outcome may come after the credential for its store has ended.
std::optional<std::string> CredentialWarning(const Context& context, const JobSpec& spec);

}  // namespace kinetic::job

#pragma once

#include "kinetic/job_spec.h"

#include <filesystem>

namespace kinetic::backend {

/// Whether a path argument, `{$path: p}`, leads to `folder` or into it.
bool IsReferredTo(const Arguments& args, const std::filesystem::path& folder);

}  // namespace kinetic::backend

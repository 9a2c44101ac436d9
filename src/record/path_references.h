#pragma once

#include "kinetic/job_spec.h"

#include <filesystem>

namespace kinetic::record {

/// Returns whether a path argument, `{$path: p}`, is `folder` or below it.
bool IsReferredTo(const Arguments& args, const std::filesystem::path& folder);

}  // namespace kinetic::record

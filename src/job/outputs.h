#pragma once

#include "kinetic/job.h"

#include "job/context.h"

#include <stop_token>
#include <string>
#include <string_view>
#include <vector>

namespace kinetic::job {

/// Where the files are, or will be, that a job wrote to its output folder.
std::string OutputsOf(const Context& context, std::string_view id);

/// What is stored of them, by path.
Result<std::vector<OutputFile>> ListOutputs(Context& context, std::string_view id,
                                            std::stop_token stop);

/// Copies them to a folder: Job::FetchOutputs.
Result<FetchReport> FetchOutputs(Context& context, std::string_view id, const FetchOptions& options,
                                 std::stop_token stop);

}  // namespace kinetic::job

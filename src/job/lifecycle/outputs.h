#pragma once

#include "kinetic/job.h"

#include "job/context.h"

#include <stop_token>
#include <string>
#include <string_view>
#include <vector>

namespace kinetic::job {

/// Returns the current or future location of a job's output files.
std::string OutputsOf(const Context& context, std::string_view id);

/// Lists the stored output files, by path.
Result<std::vector<OutputFile>> ListOutputs(Context& context, std::string_view id,
                                            std::stop_token stop);

/// Implements Job::FetchOutputs: copies the output files to a folder.
Result<FetchReport> FetchOutputs(Context& context, std::string_view id, const FetchOptions& options,
                                 std::stop_token stop);

}  // namespace kinetic::job

#pragma once

#include "kinetic/data.h"

#include "bundle/gc/content_lease.h"
#include "job/context.h"
#include "record/job_record.h"

#include <filesystem>
#include <stop_token>
#include <string_view>
#include <vector>

namespace kinetic::job {

/// Implements Client::PutData.
Result<PutDataReport> PutData(Context& context, const std::filesystem::path& source,
                              const PutDataOptions& options, std::stop_token stop);

/// Implements Client::ListData.
Result<std::vector<DataSet>> ListData(Context& context, std::stop_token stop);

/// Implements Client::RemoveData.
Result<DataSet> RemoveData(Context& context, std::string_view name, std::stop_token stop);

/// Returns the content of a data set, for a job record.
///
/// @param lease  confirms that the content exists and is kept; null: not confirmed.
/// @errors       kNotFound: no data set has that name (the error lists the existing names), or its
///          content is missing.
Result<record::DataTree> UseData(Context& context, std::string_view name,
                                 bundle::ContentLease* lease, std::stop_token stop);

}  // namespace kinetic::job

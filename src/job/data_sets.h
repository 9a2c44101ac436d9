#pragma once

#include "kinetic/data.h"

#include "bundle/lease.h"
#include "job/context.h"
#include "record/record.h"

#include <filesystem>
#include <stop_token>
#include <string_view>
#include <vector>

namespace kinetic::job {

/// Client::PutData.
Result<PutDataReport> PutData(Context& context, const std::filesystem::path& source,
                              const PutDataOptions& options, std::stop_token stop);

/// Client::ListData.
Result<std::vector<DataSet>> ListData(Context& context, std::stop_token stop);

/// Client::RemoveData.
Result<DataSet> RemoveData(Context& context, std::string_view name, std::stop_token stop);

/// What a data set holds, for a record.
///
/// @param lease  confirms that it is there and stays; null: nobody needs to know.
/// @errors       kNotFound: there is none of that name, with the names that there are; or its
///               content is gone.
Result<record::DataTree> UseData(Context& context, std::string_view name,
                                 bundle::ContentLease* lease, std::stop_token stop);

}  // namespace kinetic::job

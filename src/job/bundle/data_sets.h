#pragma once

#include "kinetic/datasets.h"

#include "bundle/gc/content_lease.h"
#include "job/context.h"
#include "record/data_set.h"
#include "record/job_record.h"

#include <filesystem>
#include <stop_token>
#include <string>
#include <string_view>
#include <vector>

namespace kinetic::job {

/// Implements Datasets::Put.
Result<PutDatasetReport> PutData(Context& context, const std::filesystem::path& source,
                                 const PutDatasetOptions& options, std::stop_token stop);

/// Implements Datasets::List.
/// @param observer  warned of damaged datasets; may be null.
Result<std::vector<Dataset>> ListData(Context& context, Observer* observer, std::stop_token stop);

/// Implements Datasets::Remove.
Result<std::vector<Dataset>> RemoveData(Context& context, const std::vector<std::string>& names,
                                        std::stop_token stop);

/// Returns the content of a dataset, for a job record.
///
/// @param lease  confirms that the content exists and is kept; null: not confirmed.
/// @errors       kNotFound: no dataset has that name (the error lists the existing names), or its
///          content is missing.
Result<record::DataTree> ReferenceDataSet(Context& context, std::string_view name,
                                          bundle::ContentLease* lease, std::stop_token stop);

/// The current content of a gs:// source of `data:`, and its description in a job record.
struct BucketData {
  record::ListedData entry;
  std::string document;  ///< the listing, as stored
  std::vector<std::string> warnings;
};

/// Lists a source. A source that ends in '/' or is only a bucket is a folder. Any other source is
/// an object if one has that name, and a folder otherwise. Folder markers (empty objects whose
/// names end in '/') are skipped.
///
/// @errors  kNotFound (no such object or bucket) · kInvalidArgument (an object name that is not a
///          valid file name) · kResourceExhausted (more than kMaxListedObjects) · errors of
///          gcs::Client::List and of the connection.
Result<BucketData> ListBucketData(Context& context, const std::string& source,
                                  std::stop_token stop);

}  // namespace kinetic::job

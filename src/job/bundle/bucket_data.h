#pragma once

#include "job/context.h"
#include "record/data_set.h"
#include "record/job_record.h"

#include <stop_token>
#include <string>
#include <vector>

namespace kinetic::job {

/// The current content of a gs:// source of `data:`, and its description in a job record.
struct BucketData {
  record::ListedData told;
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

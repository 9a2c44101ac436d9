#pragma once

#include "job/context.h"
#include "record/data_listing.h"
#include "record/record.h"

#include <stop_token>
#include <string>
#include <vector>

namespace kinetic::job {

/// What a gs:// source of `data:` names at this moment, and how a record tells of it.
struct BucketData {
  record::ListedData told;
  std::string document;  ///< the listing, as it is stored
  std::vector<std::string> warnings;
};

/// Lists a source. One that ends in '/', or is a bucket alone, is a folder; another one is an
/// object if there is one of that name, else a folder. What only marks a folder (an empty object
/// whose name ends in '/') is passed over.
///
/// @errors  kNotFound (no object there; the bucket) · kInvalidArgument (an object whose name no
///          file can have) · kResourceExhausted (more than kMostListedObjects) · those of
///          gcs::Client::List and of the connection.
Result<BucketData> ListBucketData(Context& context, const std::string& source,
                                  std::stop_token stop);

}  // namespace kinetic::job

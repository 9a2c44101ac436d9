#pragma once

#include "kinetic/result.h"

#include "base/file_system.h"
#include "gcs/client.h"
#include "record/data_listing.h"

#include <stop_token>

namespace kinetic::runner {

/// Lays down what a listing names: exactly the generations that it names, compared with the
/// server's checksums. Small objects travel several at once, large ones in parallel ranges.
///
/// @errors   kNotFound (a generation that is not there any more; the message names it) · kDataLoss
/// ·
///           those of gcs::Client::Read and FileSystem.
/// @threads  safe to call concurrently, for different folders.
class BucketFetch {
 public:
  /// Both outlive it. @param client  of the listing's bucket.
  BucketFetch(const gcs::Client& client, FileSystem& fs) : client_(client), fs_(fs) {}

  /// All of it into a folder, which is made.
  Status Fetch(const record::DataListing& listing, const Path& folder, std::stop_token stop) const;

  /// One object of it into a file.
  Status FetchObject(const record::DataListing& listing, const record::ListedObject& object,
                     const Path& file, std::stop_token stop) const;

 private:
  Status FetchSmall(const std::string& name, const record::ListedObject& object, const Path& file,
                    std::stop_token stop) const;

  const gcs::Client& client_;
  FileSystem& fs_;
};

}  // namespace kinetic::runner

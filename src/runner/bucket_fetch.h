#pragma once

#include "kinetic/result.h"

#include "base/file_system.h"
#include "gcs/client.h"
#include "record/data_listing.h"

#include <cstdint>
#include <functional>
#include <stop_token>
#include <string>
#include <utility>

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
  using OnBytes = std::function<void(std::uint64_t bytes)>;

  /// Both outlive it.
  ///
  /// @param client    of the listing's bucket.
  /// @param on_bytes  is told of bytes that have come, from several threads; may be empty.
  BucketFetch(const gcs::Client& client, FileSystem& fs, OnBytes on_bytes = {})
      : client_(client), fs_(fs), on_bytes_(std::move(on_bytes)) {}

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
  const OnBytes on_bytes_;
};

}  // namespace kinetic::runner

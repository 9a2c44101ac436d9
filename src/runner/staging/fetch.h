#pragma once

#include "kinetic/result.h"

#include "base/files/file_system.h"
#include "base/hash/digest.h"
#include "bundle/read/unpacker.h"
#include "gcs/client.h"
#include "local/runtime.h"
#include "record/data_set.h"
#include "record/job_record.h"
#include "runner/staging/fetch_progress.h"
#include "store/object_store.h"

#include <cstdint>
#include <functional>
#include <stop_token>
#include <string>
#include <utility>

namespace kinetic::runner {

/// A stored tree, and the files of this machine from which it was made.
struct TreeContent {
  Digest tree;
  const local::StoredSource* source = nullptr;  ///< null: unknown, or on another machine
};

/// Unpacks a tree and reports progress. Copies files that are unchanged in its source. Uses more
/// threads for a bucket.
///
/// @errors  those of bundle::Unpack.
Result<bundle::UnpackReport> FetchTree(store::Store& store, const bundle::Destination& destination,
                                       const TreeContent& content,
                                       FetchProgress::Transfer& transfer, std::stop_token stop);

/// Returns whether an earlier collector of this pod has unpacked the job's packages completely: a
/// file beside the folder says so.
bool HasEnvironment(FileSystem& fs, const record::PodEnvironment& environment, const Path& folder);

/// Returns whether a folder is on a tmpfs.
bool IsInMemory(const Path& folder);

/// Unpacks a job's packages to `folder`, which is emptied first.
///
/// @errors  those of bundle::Unpack and FileSystem.
Result<bundle::UnpackReport> FetchEnvironment(store::Store& store, FileSystem& fs,
                                              const record::PodEnvironment& environment,
                                              const Path& folder, FetchProgress::Transfer& transfer,
                                              std::stop_token stop);

/// Downloads the objects of a listing: exactly the listed generations, with verified checksums.
/// Small objects are downloaded in parallel, large ones in parallel ranges.
///
/// @errors   kNotFound (a generation no longer exists; the message names it) · kDataLoss · those of
///           gcs::Client::Read and FileSystem.
/// @threads  safe to call concurrently, for different folders.
class BucketFetch {
 public:
  using OnBytes = std::function<void(std::uint64_t bytes)>;

  /// Client and file system outlive the object.
  ///
  /// @param client    for the listing's bucket.
  /// @param on_bytes  called with the number of bytes received, from several threads; may be empty.
  BucketFetch(const gcs::Client& client, FileSystem& fs, OnBytes on_bytes = {})
      : client_(client), fs_(fs), on_bytes_(std::move(on_bytes)) {}

  /// Downloads all objects to a folder, which is created.
  Status Fetch(const record::DataListing& listing, const Path& folder, std::stop_token stop) const;

  /// Downloads one of the objects to a file.
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

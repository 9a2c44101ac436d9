#pragma once

#include "base/files/file_system.h"
#include "base/transfer/parts_download.h"
#include "gcs/client.h"
#include "http/body.h"

#include <memory>
#include <optional>
#include <stop_token>
#include <string>
#include <vector>

namespace kinetic::gcs {

/// Downloads objects to files in parallel parts of one generation, and verifies the whole. A killed
/// or failed download resumes: until it is complete, "NAME.kinetic-part" holds the content and
/// "NAME.kinetic-parts" lists the complete parts.
///
/// @threads  safe to call concurrently for different files.
class ParallelDownload {
 public:
  /// `client` and `fs` must outlive this object.
  ParallelDownload(const Client& client, FileSystem& fs, TransferOptions options = {})
      : client_(&client), fs_(&fs), options_(std::move(options)) {}

  /// Returns nullopt if the object does not exist. Replaces `file` when the download is complete.
  ///
  /// @param generation  nullopt: the live one.
  /// @errors  those of Client::Read and FileSystem · kDataLoss: checksum mismatch, twice ·
  ///          kAborted: the object was replaced during the download.
  Result<std::optional<Object>> Fetch(const std::string& name,
                                      std::optional<std::int64_t> generation, const Path& file,
                                      std::stop_token stop) const;

 private:
  const Client* client_;
  FileSystem* fs_;
  TransferOptions options_;
};

/// Uploads large files as parallel composite uploads: each part is an object below `prefix`; parts
/// are composed, 32 at a time, and removed. Parts remain only if the client is killed or the server
/// becomes unavailable. A later upload with the same InsertOptions::source reuses them, and
/// RemoveOrphanedParts removes them.
///
/// Composite objects have no MD5. The bucket must not retain deleted objects
/// (Bucket::DeletesImmediately).
///
/// @threads  safe to call concurrently.
class CompositeUpload {
 public:
  /// `client` must outlive this object. `prefix` is for parts only: "tmp/parts/".
  CompositeUpload(const Client& client, std::string prefix, TransferOptions options = {})
      : client_(&client), prefix_(std::move(prefix)), options_(std::move(options)) {}

  /// Stores a file, by Client::Insert if it fits in one part. Returns nullopt if the precondition
  /// fails.
  ///
  /// @errors  those of Client::Insert and FileSystem · kAborted: the file changed.
  Result<std::optional<Object>> Store(const std::shared_ptr<http::FileBody>& file,
                                      const std::string& name, const InsertOptions& options,
                                      std::stop_token stop) const;

  /// Removes parts stored before a time, and returns their total size in bytes.
  Result<std::uint64_t> RemoveOrphanedParts(WallTime before, std::stop_token stop) const;

 private:
  struct Work;

  Status FindParts(Work& work, std::stop_token stop) const;
  Status StorePart(Work& work, std::size_t part, std::stop_token stop) const;
  Status ComposeGroup(Work& work, const std::vector<Object>& parts, std::size_t group,
                      std::vector<Object>& composed, std::stop_token stop) const;
  Result<std::vector<Object>> ComposeLevel(Work& work, const std::vector<Object>& parts,
                                           std::stop_token stop) const;
  Result<std::optional<Object>> ComposeAll(Work& work, std::vector<Object> parts,
                                           std::stop_token stop) const;
  Result<std::optional<Object>> StoreParts(Work& work, std::stop_token stop) const;
  /// Removes the parts of one file and ignores errors.
  void RemovePartsQuietly(const std::string& prefix) const;
  Status RemoveParts(const std::string& prefix, std::optional<WallTime> before,
                     std::uint64_t& removed_bytes, std::stop_token stop) const;

  const Client* client_;
  std::string prefix_;
  TransferOptions options_;
};

}  // namespace kinetic::gcs

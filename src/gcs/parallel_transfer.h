#pragma once

#include "base/files/file_system.h"
#include "base/hash/crc32c.h"
#include "base/transfer/parts_download.h"
#include "gcs/client.h"
#include "http/file_body.h"

#include <memory>
#include <optional>
#include <stop_token>
#include <string>
#include <vector>

namespace kinetic::gcs {

/// Fetches objects into files, in parts over several connections: always one generation, compared
/// as a whole with the server's checksum, and gone on with after a kill. Until it is complete a
/// file is "NAME.kinetic-part", beside "NAME.kinetic-parts" with the parts that are there; an error
/// leaves both for the next try.
///
/// @threads  safe to call concurrently, for different files.
class ParallelDownload {
 public:
  /// Both outlive it.
  ParallelDownload(const Client& client, FileSystem& fs, TransferOptions options = {})
      : client_(&client), fs_(&fs), options_(std::move(options)) {}

  /// Nothing: there is no such object. A file that is there is replaced when the new one is
  /// complete.
  ///
  /// @param generation  wanted; none: the one that is there now.
  /// @errors  those of Client::Read and FileSystem · kDataLoss when the whole has another checksum
  ///          than the server says, twice · kAborted when the object was replaced meanwhile.
  Result<std::optional<Object>> Fetch(const std::string& name,
                                      std::optional<std::int64_t> generation, const Path& file,
                                      std::stop_token stop) const;

 private:
  const Client* client_;
  FileSystem* fs_;
  TransferOptions options_;
};

/// Stores large files in parts over several connections: each part is an object of its own under a
/// prefix, and in the end they are composed, 32 at a time. The parts are removed whatever happens.
/// Only those of a client that was killed stay, or of one whose server is away: they are used by
/// the next one that stores the same (InsertOptions::source), or removed by RemoveLeftovers.
///
/// The object has no MD5 sum, like all that are composed, and the bucket must hold nothing back
/// (no retention, no soft delete that is to be saved).
///
/// @threads  safe to call concurrently.
class CompositeUpload {
 public:
  /// All outlive it. @param prefix  for names of parts, "tmp/parts/": nothing else is there.
  CompositeUpload(const Client& client, std::string prefix, TransferOptions options = {})
      : client_(&client), prefix_(std::move(prefix)), options_(std::move(options)) {}

  /// Stores a whole file; one of a single part goes as Client::Insert does it. Nothing: the
  /// precondition does not hold.
  ///
  /// @errors  those of Client::Insert and FileSystem · kAborted when the file changed meanwhile.
  Result<std::optional<Object>> Store(const std::shared_ptr<http::FileBody>& file,
                                      const std::string& name, const InsertOptions& options,
                                      std::stop_token stop) const;

  /// Removes parts that were stored before that time: older than any upload lasts. @returns how
  /// many bytes they had.
  Result<std::uint64_t> RemoveLeftovers(WallTime before, std::stop_token stop) const;

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
  /// Removes the parts of one file, as far as that can be done now.
  void Clean(const std::string& prefix) const;
  Status RemoveParts(const std::string& prefix, std::optional<WallTime> before,
                     std::uint64_t& removed_bytes, std::stop_token stop) const;

  const Client* client_;
  std::string prefix_;
  TransferOptions options_;
};

}  // namespace kinetic::gcs

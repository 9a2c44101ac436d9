#pragma once

#include "base/files/file_system.h"
#include "base/transfer/parts_download.h"
#include "gcs/client.h"

#include <optional>
#include <stop_token>
#include <string>

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

}  // namespace kinetic::gcs

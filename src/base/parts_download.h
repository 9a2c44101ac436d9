#pragma once

#include "base/crc32c.h"
#include "base/file_system.h"
#include "base/parts_journal.h"
#include "base/transfer_options.h"

#include <cstddef>
#include <cstdint>
#include <functional>
#include <stop_token>
#include <string>
#include <string_view>
#include <vector>

namespace kinetic {

/// One file that is fetched in parts, several at a time, from wherever ranges of it can be had.
/// What has arrived is kept, and noted beside it, until the file is whole: after a kill or an error
/// the rest is fetched. The whole is compared with its checksum and, when it is damaged, fetched
/// once more.
///
/// @errors   of every call: those of FileSystem.
/// @threads  one thread at a time.
class PartsDownload {
 public:
  /// What is fetched, and where it is kept.
  struct Wanted {
    std::string name;      ///< for messages
    std::string identity;  ///< of these very bytes, one line: what is there of others is no use
    std::uint64_t size_bytes = 0;
    std::string crc32c;    ///< of the whole, as Crc32c::Base64; empty: nobody knows it
    Path file;             ///< is replaced when the new one is whole
    Path partial;          ///< in the same folder, until then
    Path journal;          ///< which parts of it are there
    bool lasting = false;  ///< it is on the disk when Fetch returns
  };
  using Sink = std::function<Status(std::string_view piece)>;
  /// Passes the bytes of one range to the sink, in order, always of the same content. Called from
  /// several threads.
  using Range = std::function<Status(std::uint64_t offset, std::uint64_t length, const Sink& sink,
                                     std::stop_token stop)>;

  /// The file system outlives it. @param options  on_bytes is told of what arrives.
  PartsDownload(FileSystem& fs, Wanted wanted, TransferOptions options);

  /// How much there is of an earlier try, as far as it was noted; nothing is opened or made.
  Result<std::uint64_t> BytesNoted();
  /// Goes on with what an earlier try has left. @returns how many bytes of it are as they should
  /// be.
  Result<std::uint64_t> GoOn(std::stop_token stop);
  /// Fetches what is not there and gives the file its name.
  ///
  /// @errors  those of `range` · kDataLoss: twice the whole had another checksum; nothing of it is
  ///          kept · kAborted: there is less than `size_bytes`.
  Status Fetch(const Range& range, std::stop_token stop);
  /// Throws away what there is.
  Status Discard();

 private:
  std::uint64_t Begin(std::size_t part) const { return part * step_; }
  std::uint64_t Size(std::size_t part) const;
  Result<bool> IsThere(std::size_t part, const PartsJournal::Noted& noted) const;
  Status FetchPart(std::size_t part, const Range& range, std::stop_token stop);
  Status FetchParts(const Range& range, std::stop_token stop);
  Status CheckWhole() const;

  FileSystem* fs_;
  Wanted wanted_;
  TransferOptions options_;
  std::uint64_t step_;
  std::vector<PartsJournal::Noted> parts_;  ///< what is there of each
  PartsJournal journal_;
  UniqueFd file_;
};

}  // namespace kinetic

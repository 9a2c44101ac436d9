#pragma once

#include "base/files/file_system.h"
#include "base/hash/crc32c.h"

#include <cstddef>
#include <cstdint>
#include <functional>
#include <map>
#include <mutex>
#include <stop_token>
#include <string>
#include <string_view>
#include <vector>

namespace kinetic {

/// How a large object is transferred. Each connection uses up to 9 MB of memory, whatever the part
/// size.
struct TransferOptions {
  std::uint64_t part_bytes = 16U << 20;
  std::size_t connections = 6;
  /// Called, possibly from several threads, with the number of bytes that were transferred or need
  /// not be transferred any more. May be empty.
  std::function<void(std::uint64_t bytes)> on_bytes;
};

/// Records the progress of each part of a file in a second file, so that a killed download can
/// resume. It records what was written, not what reached the disk: compare it with its checksum
/// before use.
///
/// @errors   those of FileSystem.
/// @threads  Add is safe to call concurrently.
class PartsJournal {
 public:
  /// How much of the start of a part has been written.
  struct Progress {
    std::uint64_t bytes = 0;
    Crc32c checksum;
    bool operator==(const Progress&) const = default;
  };

  /// @param identity  one line that identifies the content; a journal of other content is
  ///           overwritten.
  PartsJournal(FileSystem& fs, Path path, std::string identity)
      : fs_(&fs), path_(std::move(path)), identity_(std::move(identity)) {}

  /// Returns the last recorded progress of each part. Skips a line that a crash cut short.
  Result<std::map<std::uint64_t, Progress>> Load();
  /// Appends to the journal that was loaded, or starts a new one.
  Status Add(std::uint64_t part, const Progress& progress);
  Status Remove();

 private:
  Status Open();

  FileSystem* fs_;
  Path path_;
  std::string identity_;
  std::mutex mutex_;
  UniqueFd file_;
  bool loaded_ = false;
};

/// Downloads one file in parts, several at a time. Parts are kept on disk until the file is
/// complete, so that a killed or failed download resumes. A file with a wrong checksum is
/// downloaded once more.
///
/// @errors   of every call: those of FileSystem.
/// @threads  not thread-safe.
class PartsDownload {
 public:
  struct Request {
    std::string name;  ///< for messages
    std::string
        identity;  ///< one line that identifies the exact content; other content is discarded
    std::uint64_t size_bytes = 0;
    std::string crc32c;    ///< of the whole, as Crc32c::Base64; empty: unknown
    Path file;             ///< replaced when the download is complete
    Path partial;          ///< in the same folder, until then
    Path journal;          ///< the PartsJournal
    bool durable = false;  ///< flush the file to disk before Fetch returns
  };
  using Sink = std::function<Status(std::string_view piece)>;
  /// Passes the bytes of one range to the sink, in order. Called from several threads.
  using Range = std::function<Status(std::uint64_t offset, std::uint64_t length, const Sink& sink,
                                     std::stop_token stop)>;

  /// `fs` must outlive the object. `options.on_bytes` is called with the bytes that arrive.
  PartsDownload(FileSystem& fs, Request request, TransferOptions options);

  /// Returns how many bytes an earlier download left, by its journal. Opens and creates nothing.
  Result<std::uint64_t> BytesRecorded();
  /// Resumes an earlier download. Returns the number of its bytes that have the right checksum.
  Result<std::uint64_t> Resume(std::stop_token stop);
  /// Downloads the missing bytes and renames the file into place.
  ///
  /// @errors  those of `range` · kDataLoss: the checksum was wrong twice; nothing is kept ·
  ///          kAborted: the source is shorter than `size_bytes`.
  Status Fetch(const Range& range, std::stop_token stop);
  /// Removes the partial file and the journal.
  Status Discard();

 private:
  std::uint64_t Begin(std::size_t part) const { return part * step_; }
  std::uint64_t Size(std::size_t part) const;
  Result<bool> HasRecordedBytes(std::size_t part, const PartsJournal::Progress& recorded) const;
  Status FetchPart(std::size_t part, const Range& range, std::stop_token stop);
  Status FetchParts(const Range& range, std::stop_token stop);
  Status CheckWhole() const;

  FileSystem* fs_;
  Request request_;
  TransferOptions options_;
  std::uint64_t step_;
  std::vector<PartsJournal::Progress> parts_;
  PartsJournal journal_;
  UniqueFd file_;
};

}  // namespace kinetic

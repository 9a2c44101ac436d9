#pragma once

#include "kinetic/result.h"

#include "base/clock.h"
#include "base/file_system.h"
#include "base/unique_fd.h"

#include <chrono>
#include <cstdint>
#include <functional>
#include <map>
#include <memory>
#include <optional>
#include <stop_token>
#include <string>
#include <string_view>

namespace kinetic::store {

using Metadata = std::map<std::string, std::string>;

/// What a store knows of an object beside its content.
struct ObjectInfo {
  std::string name;
  std::uint64_t size_bytes = 0;
  std::int64_t generation = 0;      ///< changes whenever the content is replaced
  std::int64_t metageneration = 0;  ///< changes whenever the lease is
  WallTime lease;      ///< of the last put or touch, by the store's clock (custom time on GCS)
  Metadata metadata;   ///< at most 4 KiB in all
  std::string crc32c;  ///< of the content, as Crc32c::Base64; empty where the store keeps none
};

/// What a read tells of the object that it was from.
struct ReadObject {
  std::uint64_t size_bytes = 0;
  std::int64_t generation = 0;
};

/// When a put takes effect.
struct Precondition {
  enum class Kind : std::uint8_t { kAbsent, kGeneration } kind = Kind::kAbsent;
  std::int64_t generation = 0;

  static Precondition Absent() { return {}; }
  static Precondition Generation(std::int64_t generation) {
    return {Kind::kGeneration, generation};
  }
};

/// What goes with the content of a put.
struct PutOptions {
  Metadata metadata;
  std::optional<WallTime> lease;  ///< absent: now
};

/// What a touch does, and to what.
struct TouchOptions {
  std::optional<WallTime> lease;           ///< absent: now
  std::optional<std::int64_t> generation;  ///< only if it is still this one
};

/// A file that is open for reading.
struct OpenFile {
  FileSystem* fs;
  std::shared_ptr<const UniqueFd> fd;
};

/// Content to be stored, produced in pieces; may be asked for again when an attempt has failed.
class Source {
 public:
  virtual ~Source() = default;
  virtual std::uint64_t size_bytes() const = 0;
  virtual Status Rewind() = 0;
  /// The next piece, valid until the next call; empty at the end.
  virtual Result<std::string_view> Next() = 0;

  /// What the bytes are, also to another process: a digest, or a file's place, size and times. A
  /// store may go on with what a writer that died has stored of the same; empty: it does not.
  virtual std::string identity() const { return {}; }
  /// The file whose bytes these are, all of them, which a store may read in several places at once.
  /// Nothing: they come from elsewhere.
  virtual std::optional<OpenFile> file() const { return std::nullopt; }
};

/// A range of bytes; the whole object by default. A range that begins at or past the end is empty.
struct Range {
  std::uint64_t offset = 0;
  std::optional<std::uint64_t> length;
};

using Sink = std::function<Status(std::string_view piece)>;

enum class Removal : std::uint8_t { kRemoved, kAbsent, kChanged };

/// Objects by name, in a folder or a bucket. The one seam under bundles, records, locks and logs;
/// leases, fencing and garbage collection use nothing else.
///
/// Names are UTF-8, 1–1024 bytes, '/'-separated, without empty, "." or ".." parts and without
/// control characters, and do not begin with the part ".tmp" or ".locks"; anything else is
/// kInvalidArgument. Nobody puts "a" where there is "a/b": a folder refuses the second as
/// kInvalidArgument, a bucket does not notice.
/// Metadata keys are of [a-z0-9_-], values UTF-8. An object appears whole or not at all, and is on
/// disk when Put returns.
///
/// @errors   kPermissionDenied · kResourceExhausted (disk, quota) · kUnavailable · kCancelled.
/// @threads  safe to call concurrently, also from several processes and machines.
class Store {
 public:
  virtual ~Store() = default;

  /// For messages: "/home/ana/.local/share/kinetic/store", "gs://bucket/prefix".
  virtual std::string Location() const = 0;

  /// The store's clock, against which leases are measured.
  virtual Result<WallTime> Now(std::stop_token stop) = 0;

  /// Stores an object. Nothing: the precondition does not hold and the store is unchanged.
  virtual Result<std::optional<ObjectInfo>> Put(std::string_view name, Source& source,
                                                const Precondition& precondition,
                                                const PutOptions& options,
                                                std::stop_token stop) = 0;

  /// Passes the bytes of a range to `sink`, in order. Nothing: there is no such object.
  virtual Result<std::optional<ReadObject>> Get(std::string_view name, const Range& range,
                                                const Sink& sink, std::stop_token stop) = 0;

  virtual Result<std::optional<ObjectInfo>> Stat(std::string_view name, std::stop_token stop) = 0;

  /// Calls `each` for the objects whose names begin with `prefix`, in order of name (bytewise),
  /// from `start` on (inclusive; empty: all). `each` returns false to end the listing. What changes
  /// meanwhile may be passed as it was or as it is.
  virtual Status List(std::string_view prefix, std::string_view start,
                      const std::function<Result<bool>(const ObjectInfo&)>& each,
                      std::stop_token stop) = 0;

  /// Sets the lease, unless it is later already; the metageneration changes in any case. Nothing:
  /// there is no such object, or it has another generation.
  virtual Result<std::optional<ObjectInfo>> Touch(std::string_view name,
                                                  const TouchOptions& options,
                                                  std::stop_token stop) = 0;

  /// Removes an object if it is still the one described: same generation, same metageneration.
  virtual Result<Removal> RemoveIfUnchanged(const ObjectInfo& seen, std::stop_token stop) = 0;

  /// Removes what writers that died left behind out of sight, a day old or more; returns how many
  /// bytes that were. Nothing to do for a store whose server does it.
  virtual Result<std::uint64_t> RemoveLeftovers(std::stop_token stop) = 0;
};

/// The most that GetBytes will hold, unless told otherwise.
inline constexpr std::uint64_t kSmallObjectBytes = 64ULL << 20;

/// A whole small object in memory. @errors kResourceExhausted above `limit_bytes`.
Result<std::optional<std::string>> GetBytes(Store& store, std::string_view name,
                                            std::stop_token stop,
                                            std::uint64_t limit_bytes = kSmallObjectBytes);

/// Puts bytes that are in memory.
Result<std::optional<ObjectInfo>> PutBytes(Store& store, std::string_view name,
                                           std::string_view bytes, const Precondition& precondition,
                                           std::stop_token stop, const Metadata& metadata = {});

/// Creates the object or replaces it, whatever is there; for objects with one writer.
Status Overwrite(Store& store, std::string_view name, std::string_view bytes, std::stop_token stop,
                 const Metadata& metadata = {});

}  // namespace kinetic::store

#pragma once

#include "kinetic/result.h"

#include "base/time/clock.h"
#include "store/object.h"
#include "store/source.h"

#include <chrono>
#include <cstdint>
#include <functional>
#include <memory>
#include <optional>
#include <stop_token>
#include <string>
#include <string_view>
#include <vector>

namespace kinetic::store {

/// The object that Get read from.
struct ReadResult {
  std::uint64_t size_bytes = 0;
  std::int64_t generation = 0;
};

/// The condition for a put: the object is absent, or it has a certain generation.
struct Precondition {
  enum class Kind : std::uint8_t { kAbsent, kGeneration } kind = Kind::kAbsent;
  std::int64_t generation = 0;

  static Precondition Absent() { return {}; }
  static Precondition Generation(std::int64_t generation) {
    return {Kind::kGeneration, generation};
  }
};

struct PutOptions {
  Metadata metadata;
  std::optional<WallTime> lease;  ///< nullopt: now
  /// Another writer's object serves as well: does not find out whether an existing one is the
  /// result of this call, whose first response was lost.
  bool any_creator = false;
  /// Whether the object is durable when Put returns. If not, it is lost in a crash of the machine
  /// until Flush has been called; a crash of the process has no effect.
  bool is_durable = true;
};

struct TouchOptions {
  std::optional<WallTime> lease;           ///< nullopt: now
  std::optional<std::int64_t> generation;  ///< nullopt: any generation
};

/// A range of bytes; by default the whole object. A range that begins at or past the end is empty.
struct Range {
  std::uint64_t offset = 0;
  std::optional<std::uint64_t> length;
};

using Sink = std::function<Status(std::string_view piece)>;

enum class Removal : std::uint8_t { kRemoved, kAbsent, kChanged };

/// Objects by name, in a folder or a bucket. This is the only storage interface: bundles, records,
/// logs, leases and garbage collection use nothing else.
///
/// Names are valid if CheckName accepts them: UTF-8 of 1–1024 bytes, separated by '/', without
/// empty, "." or ".." parts and without control characters. The first part is neither ".tmp" nor
/// ".locks". Callers must not store both "a" and "a/b": a folder keeps only the later one, a bucket
/// keeps both.
///
/// An object becomes visible as a whole, and is durable when Put returns, unless its options say
/// otherwise.
///
/// An object is damaged if it has a name of the store but cannot be read: another program has put a
/// link, a pipe, or another user's private file there, or the metadata are invalid. Get fails with
/// kDataLoss; Stat and List return it with its `damage`, and Touch ignores it. A Put that expects an
/// absent object replaces it, and RemoveIfUnchanged removes it; neither reads or follows it.
///
/// @errors   kInvalidArgument (name or metadata) · kAborted (the source became shorter while it was
///           read) · kPermissionDenied · kResourceExhausted (disk,
///           quota) · kUnavailable · kCancelled.
/// @threads  safe to call concurrently, also from several processes and machines.
class Store {
 public:
  virtual ~Store() = default;

  /// Returns the location for messages: "/home/ana/.local/share/kinetic/store",
  /// "gs://bucket/prefix".
  virtual std::string Location() const = 0;

  /// Returns the time of the store's clock, which leases are compared with. For a bucket, an
  /// estimate from a single response, which may be wrong by any amount.
  virtual Result<WallTime> Now(std::stop_token stop) = 0;

  /// Returns the time of the store's clock as it records it with an object that is written now, or
  /// was written by this process. Removals and states that are final depend on no other clock.
  ///
  /// @errors  kPermissionDenied: the store is read-only.
  virtual Result<WallTime> ExactNow(std::stop_token stop) = 0;

  /// Stores an object. Returns nullopt and changes nothing if the precondition fails.
  virtual Result<std::optional<ObjectInfo>> Put(std::string_view name, Source& source,
                                                const Precondition& precondition,
                                                const PutOptions& options,
                                                std::stop_token stop) = 0;

  /// Makes objects durable that were put without. Ignores those that do not exist.
  virtual Status Flush(const std::vector<std::string>& /*names*/) { return {}; }

  /// Passes the bytes of a range to `sink`, in order. Returns nullopt if the object is absent.
  virtual Result<std::optional<ReadResult>> Get(std::string_view name, const Range& range,
                                                const Sink& sink, std::stop_token stop) = 0;

  /// Returns nullopt if the object is absent.
  virtual Result<std::optional<ObjectInfo>> Stat(std::string_view name, std::stop_token stop) = 0;

  /// Calls `each` for the objects whose names begin with `prefix`, in bytewise order of names, from
  /// `start` on (inclusive; empty: all). `each` returns false to end the listing. An object that
  /// changes during the listing may be listed in its old or new state. A folder that cannot be
  /// listed is a damaged object whose name ends with '/'.
  virtual Status List(std::string_view prefix, std::string_view start,
                      const std::function<Result<bool>(const ObjectInfo&)>& each,
                      std::stop_token stop) = 0;

  /// Sets the lease unless it is later already. The metageneration changes in any case. Returns
  /// nullopt if the object is absent or has another generation.
  virtual Result<std::optional<ObjectInfo>> Touch(std::string_view name,
                                                  const TouchOptions& options,
                                                  std::stop_token stop) = 0;

  /// Removes an object if it has the same generation and metageneration as `seen`.
  virtual Result<Removal> RemoveIfUnchanged(const ObjectInfo& seen, std::stop_token stop) = 0;

  /// RemoveIfUnchanged for several objects, in any order and in as few requests as possible.
  /// Returns the result for each object.
  virtual Result<std::vector<Removal>> RemoveAll(const std::vector<ObjectInfo>& seen,
                                                 std::stop_token stop);

  /// Removes temporary data of dead writers that is at least a day old. Returns its size in bytes.
  virtual Result<std::uint64_t> RemoveLeftovers(std::stop_token stop) = 0;
};

/// Temporary data of this age belongs to writers that have ended.
inline constexpr std::chrono::hours kLeftoverAge{24};

/// The default limit of GetBytes.
inline constexpr std::uint64_t kSmallObjectBytes = 64ULL << 20;

/// Reads an object into memory. Returns nullopt if it is absent.
///
/// @errors  kDataLoss: longer than `limit_bytes` (valid objects are never longer).
Result<std::optional<std::string>> GetBytes(Store& store, std::string_view name,
                                            std::stop_token stop,
                                            std::uint64_t limit_bytes = kSmallObjectBytes);

/// GetBytes for objects that garbage collection removes after a time without use: renews a lease
/// that is older than six days. Takes one round trip if the lease is younger.
Result<std::optional<std::string>> GetAndRenew(Store& store, std::string_view name,
                                               std::uint64_t limit_bytes, std::stop_token stop);

/// Stat for objects that garbage collection removes after a time without use: renews a lease that is
/// older than six days. Returns nullopt if the object is absent or damaged.
Result<std::optional<ObjectInfo>> StatAndRenew(Store& store, std::string_view name,
                                               std::stop_token stop);

/// Puts bytes from memory.
Result<std::optional<ObjectInfo>> PutBytes(Store& store, std::string_view name,
                                           std::string_view bytes, const Precondition& precondition,
                                           std::stop_token stop, const Metadata& metadata = {},
                                           bool is_durable = true);

/// Creates or replaces an object that has one writer.
Status Overwrite(Store& store, std::string_view name, std::string_view bytes, std::stop_token stop,
                 const Metadata& metadata = {});

/// Lists the objects whose names begin with `prefix`, by name.
Result<std::vector<ObjectInfo>> ListAll(Store& store, std::string_view prefix,
                                        std::stop_token stop);

/// Removes the objects whose names begin with `prefix`, except those that change meanwhile.
Status RemoveAllBelow(Store& store, std::string_view prefix, std::stop_token stop);

/// Returns whether an error of a store is transient: its disk is full or fails, its folder is
/// read-only or missing, or its server does not respond. After any other error, a retry fails
/// again.
bool IsStoreUnavailable(const Error& error);

}  // namespace kinetic::store

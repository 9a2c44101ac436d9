#pragma once

#include "kinetic/result.h"

#include "base/files/file_system.h"
#include "base/time/clock.h"

#include <cstdint>
#include <functional>
#include <stop_token>
#include <string>
#include <string_view>
#include <vector>

namespace kinetic::local {

/// Data that jobs have taken before, kept in a folder of a volume that a profile names. A job gets
/// a copy, which it may change.
///
///   {folder}/{key}/content     a data set as it was laid down
///   {folder}/{key}/entries     what is in it, with sizes and times; its own time: the last use
///   {folder}/{key}.lock        locked (flock) by whoever uses or makes it
///   {folder}/{key}.draft       what is being made
///
/// A file that is not as it was laid down (another size or time) makes the whole set be laid down
/// anew.
///
/// @errors   those of FileSystem · kCancelled.
/// @threads  safe to call concurrently, also from several processes.
class DataCache {
 public:
  /// Both outlive it. @param folder  made when it is needed.
  DataCache(FileSystem& fs, Clock& clock, Path folder)
      : fs_(fs), clock_(clock), folder_(std::move(folder)) {}

  /// Lays a data set down at a path: a folder, which is made, or a file.
  using LayDown = std::function<Status(const Path& place)>;

  /// Makes `place`, which is absent, a copy of a set. One that is not kept is first laid down here.
  ///
  /// @param key  of [a-z0-9-]: what is in it, for all time.
  /// @returns    whether it was kept. @errors also those of `lay_down`.
  Result<bool> Provide(std::string_view key, const Path& place, const LayDown& lay_down,
                       std::stop_token stop) const;

  struct Kept {
    std::string key;
    Path folder;
    std::uint64_t size_bytes = 0;
    WallTime last_used;
  };
  Result<std::vector<Kept>> List() const;
  /// False: somebody uses it at this moment, or has used it since it was listed.
  Result<bool> Evict(const Kept& kept) const;

 private:
  Status Make(const Path& set, const LayDown& lay_down) const;
  Status Copy(const Path& set, const Path& place, std::stop_token stop) const;

  FileSystem& fs_;
  Clock& clock_;
  const Path folder_;
};

}  // namespace kinetic::local

#pragma once

#include "base/file_system.h"
#include "store/store.h"

#include <cstdint>
#include <optional>
#include <stop_token>
#include <string>
#include <string_view>
#include <vector>

namespace kinetic::local {

struct OutputReport {
  std::uint64_t files = 0;
  std::uint64_t bytes = 0;
  std::vector<std::string> left_out;  ///< "a/link: leads out of the output folder"
  std::optional<Error> refused;       ///< a file that can never be stored; all others are
};

/// Stores everything under a folder as outputs/{id}/…, streamed, under natural names; bytes that no
/// object name may hold are written as %XX. Symbolic links to files inside the folder are stored as
/// what they lead to; links that lead out, sockets and devices are left out. Empty folders are not
/// stored.
///
/// @errors  the store is away (IsAway) · kCancelled. An absent folder is an empty one.
Result<OutputReport> StoreOutputs(store::Store& store, FileSystem& fs, const Path& folder,
                                  std::string_view id, std::stop_token stop);

/// A file, streamed into an object whatever is there.
Status StoreFile(store::Store& store, FileSystem& fs, const Path& file, std::string_view name,
                 std::stop_token stop);

/// A path as an object may be named.
std::string ObjectPath(std::string_view path);

}  // namespace kinetic::local

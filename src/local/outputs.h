#pragma once

#include "kinetic/result.h"

#include "base/files/file_system.h"
#include "local/output_scan.h"
#include "store/object_store.h"

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

/// Stores everything under a folder, as ScanOutputs finds it, as outputs/{id}/…, streamed, under
/// natural names (ObjectPath), whatever is there.
///
/// @errors  the store is away (IsAway) · kCancelled. An absent folder is an empty one.
Result<OutputReport> StoreOutputs(store::Store& store, FileSystem& fs, const Path& folder,
                                  std::string_view id, std::stop_token stop);

/// A file, streamed into an object whatever is there; once more when it changes meanwhile.
///
/// @param known  the object as it was last seen, which saves a request.
Result<store::ObjectInfo> StoreFile(store::Store& store, FileSystem& fs, const Path& file,
                                    std::string_view name,
                                    const std::optional<store::ObjectInfo>& known,
                                    std::stop_token stop);

/// Whether an error of one file is no reason to give up the others.
bool IsOfOneFile(const Error& error);

}  // namespace kinetic::local

#pragma once

#include "kinetic/observer.h"

#include <chrono>
#include <cstdint>
#include <string>
#include <string_view>

namespace kinetic {

/// Prefix of dataset names in `data:`: "data://mnist".
inline constexpr std::string_view kDataSetScheme = "data://";

/// A named dataset in a store.
struct DataSet {
  std::string name;   ///< at most 63 letters, digits, '.', '_' and '-'
  std::string tree;   ///< digest of the content, 64 hex digits
  bool file = false;  ///< a single file, not a folder
  std::uint64_t files = 0;
  std::uint64_t size_bytes = 0;
  std::chrono::system_clock::time_point stored;
  std::string owner;   ///< the user who stored it
  std::string source;  ///< absolute path on the owner's machine
};

struct PutDataOptions {
  std::string name = {};         ///< empty: the name of the file or folder
  Observer* observer = nullptr;  ///< outlives the call; may be null
  bool follow_links = false;     ///< store the targets of links out of the folder
};

struct PutDataReport {
  DataSet data;
  std::uint64_t bytes_stored = 0;  ///< uploaded; 0 if the store had everything
  bool replaced = false;           ///< the name had other content
};

}  // namespace kinetic

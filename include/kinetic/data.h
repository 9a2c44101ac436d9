#pragma once

#include "kinetic/observer.h"

#include <chrono>
#include <cstdint>
#include <string>
#include <string_view>

namespace kinetic {

/// What a `data:` source begins with that names a data set: "data://mnist".
inline constexpr std::string_view kDataSetScheme = "data://";

/// Files that were put into a store under a name, for jobs of any machine.
struct DataSet {
  std::string name;   ///< of letters, digits, '.', '_' and '-', at most 63
  std::string tree;   ///< what it is, whatever it is called: 64 hex digits
  bool file = false;  ///< one file
  std::uint64_t files = 0;
  std::uint64_t size_bytes = 0;
  std::chrono::system_clock::time_point stored;
  std::string owner;   ///< who put it there
  std::string source;  ///< from where: an absolute path on the owner's machine
};

struct PutDataOptions {
  std::string name = {};         ///< empty: that of the file or folder
  Observer* observer = nullptr;  ///< outlives the call; may be null
};

struct PutDataReport {
  DataSet data;
  std::uint64_t bytes_stored = 0;  ///< what the store did not have
  bool replaced = false;           ///< another one had the name
};

}  // namespace kinetic

#pragma once

#include "kinetic/observer.h"
#include "kinetic/result.h"

#include <chrono>
#include <cstdint>
#include <filesystem>
#include <memory>
#include <stop_token>
#include <string>
#include <string_view>
#include <vector>

namespace kinetic::inline v0 {

/// Prefix of dataset names in `data:`: "data://mnist".
inline constexpr std::string_view kDatasetScheme = "data://";

/// A named dataset in a store.
struct Dataset {
  std::string name;   ///< at most 63 letters, digits, '.', '_' and '-'
  std::string tree;   ///< digest of the content, 64 hex digits
  bool file = false;  ///< a single file, not a folder
  std::uint64_t files = 0;
  std::uint64_t size_bytes = 0;
  std::chrono::system_clock::time_point stored;
  std::string owner;   ///< the user who stored it
  std::string source;  ///< absolute path on the owner's machine
};

struct PutDatasetOptions {
  std::string name = {};         ///< empty: the name of the file or folder
  Observer* observer = nullptr;  ///< outlives the call; may be null
  bool follow_links = false;     ///< store the targets of links out of the folder
};

struct PutDatasetReport {
  Dataset data;
  std::uint64_t bytes_stored = 0;  ///< uploaded; 0 if the store had everything
  bool replaced = false;           ///< the name had other content
};

/// The datasets of a client's store: `client.datasets().List()`. Shares the client's connection and
/// keeps it open.
///
/// @threads  safe to call concurrently.
class KINETIC_EXPORT Datasets {
 public:
  /// Stores a file or folder under a name, for `data:` of any job. Sends only content that is not
  /// in the store. An existing name gets the new content; jobs that use the old content keep it.
  ///
  /// @errors  kInvalidArgument (the name; neither a file nor a folder) · kNotFound · kAborted (a
  ///          file changed while it was read) · kFailedPrecondition (the path is relative, and the
  ///          current directory was removed) · kResourceExhausted (disk) · errors of the store.
  Result<PutDatasetReport> Put(const std::filesystem::path& source,
                               const PutDatasetOptions& options = {}, std::stop_token stop = {});
  /// Lists the datasets, by name.
  ///
  /// @param observer  warned of damaged datasets; may be null.
  /// @errors          errors of the store.
  Result<std::vector<Dataset>> List(Observer* observer = nullptr, std::stop_token stop = {});
  /// Removes the names of datasets. Client::CollectGarbage removes their content when no job needs
  /// it.
  ///
  /// @errors  kNotFound: one does not exist, and none was removed · errors of the store.
  Result<std::vector<Dataset>> Remove(const std::vector<std::string>& names,
                                      std::stop_token stop = {});

 private:
  friend class Client;
  struct Impl;
  explicit Datasets(std::shared_ptr<Impl> impl);
  std::shared_ptr<Impl> impl_;
};

}  // namespace kinetic::inline v0

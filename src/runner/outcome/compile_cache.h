#pragma once

#include "kinetic/result.h"

#include "base/files/file_system.h"
#include "runner/staging/job_store.h"
#include "store/object_store.h"

#include <chrono>
#include <cstdint>
#include <optional>
#include <set>
#include <stop_token>
#include <string>
#include <vector>

namespace kinetic::runner {

/// Time without a change after which a file is stored while the program runs.
inline constexpr std::chrono::seconds kCompiledQuiet{10};

/// The programs that XLA compiled for the jobs of one user and environment. They are immutable
/// files, fetched before a program starts and stored when it has compiled more. Failures only make
/// a job slower.
///
/// @threads  one thread at a time.
/// @source   https://docs.jax.dev/en/latest/persistent_compilation_cache.html
class CompileCache {
 public:
  struct Locations {
    Path folder;         ///< JAX_COMPILATION_CACHE_DIR
    std::string prefix;  ///< of the objects, "compiled/{key}/"; empty: no cache
  };
  /// Larger files, and the least recently used objects above the total, are left out.
  struct Limits {
    std::uint64_t all_bytes = 512ULL << 20;
    std::uint64_t file_bytes = 128ULL << 20;
  };

  CompileCache(JobStore::Dependencies deps, Locations locations, Limits limits);

  /// Fills the folder. Returns a description of the files, or nullopt if there are none.
  /// @errors  those of Store and FileSystem.
  Result<std::optional<std::string>> Fetch(std::stop_token stop);

  /// Resumes with a program that already runs; the folder stays as it is.
  Status Resume(std::stop_token stop);

  /// Opens the folder for Poll and Finish. Call before the program runs.
  /// @param user  as in ProgramFiles::Open.
  Status Open(std::optional<std::uint32_t> user);

  /// Stores new files that have not changed for kCompiledQuiet.
  Status Poll(std::stop_token stop);

  /// Stores new files after the program has ended. The quiet time counts only if it was `killed`.
  Status Finish(bool killed, std::stop_token stop);

 private:
  Result<std::vector<store::ObjectInfo>> List(const std::stop_token& stop);
  Status Get(const store::ObjectInfo& object, const std::stop_token& stop) const;
  Status StoreNew(std::chrono::seconds quiet, const std::stop_token& stop);

  JobStore::Dependencies deps_;
  const Locations locations_;
  const Limits limits_;
  std::optional<local::ProgramFiles> files_;
  std::set<std::string> known_;  ///< files that are stored or must not be
  std::uint64_t stored_bytes_ = 0;
};

}  // namespace kinetic::runner

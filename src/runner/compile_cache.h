#pragma once

#include "kinetic/result.h"

#include "base/file_system.h"
#include "runner/collector.h"
#include "store/store.h"

#include <chrono>
#include <cstdint>
#include <optional>
#include <set>
#include <stop_token>
#include <string>
#include <vector>

namespace kinetic::runner {

/// So long a file may not have changed until it is stored while its program runs.
inline constexpr std::chrono::seconds kCompiledQuiet{10};

/// What XLA compiled for the jobs of one user and environment: files that each have their own name
/// for good, fetched before a program begins and stored when it has made more. A cache: what cannot
/// be had or kept makes a job slower, and nothing else.
///
/// @threads  one thread at a time.
/// @source   https://docs.jax.dev/en/latest/persistent_compilation_cache.html
class CompileCache {
 public:
  struct Places {
    Path folder;         ///< JAX_COMPILATION_CACHE_DIR
    std::string prefix;  ///< of the objects, "compiled/{key}/"; empty: nothing is kept
  };
  /// What is left out: objects beyond, the longest unused first, and files that are larger.
  struct Limits {
    std::uint64_t all_bytes = 512ULL << 20;
    std::uint64_t file_bytes = 128ULL << 20;
  };

  CompileCache(Collector::Seams seams, Places places, Limits limits);

  /// Fills the folder. @returns what came, for people; nothing when nothing did.
  /// @errors  those of Store and FileSystem; the folder is there in any case but of the last.
  Result<std::optional<std::string>> Fetch(std::stop_token stop);

  /// For a program that runs already: what is in the folder is its own.
  Status Resume(std::stop_token stop);

  /// While a program runs: stores what is new and has not changed for kCompiledQuiet.
  Status Look(std::stop_token stop);

  /// When it has ended: the same, without a quiet time unless it was `killed`.
  Status Finish(bool killed, std::stop_token stop);

 private:
  Result<std::vector<store::ObjectInfo>> List(const std::stop_token& stop);
  Status Get(const store::ObjectInfo& object, const std::stop_token& stop) const;
  Status StoreNew(std::chrono::seconds quiet, const std::stop_token& stop);

  Collector::Seams seams_;
  const Places places_;
  const Limits limits_;
  std::set<std::string> known_;  ///< names of files that the store has, or is not to have
  std::uint64_t stored_bytes_ = 0;
};

}  // namespace kinetic::runner

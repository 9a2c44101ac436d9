#pragma once

#include <cstdint>
#include <map>
#include <mutex>
#include <optional>
#include <string>

namespace kinetic::gcs_server {

/// A rewrite in several calls.
struct RewriteProgress {
  std::string names;            ///< source and target; a token is valid only for these
  std::int64_t generation = 0;  ///< of the source
  std::uint64_t done_bytes = 0;
};

/// Rewrites in progress by token.
///
/// @threads  safe to call concurrently.
class Rewrites {
 public:
  std::string Add(RewriteProgress progress);
  std::optional<RewriteProgress> Find(const std::string& token) const;
  void Advance(const std::string& token, std::uint64_t done_bytes);
  void Remove(const std::string& token);

 private:
  mutable std::mutex mutex_;
  std::map<std::string, RewriteProgress> under_way_;
};

}  // namespace kinetic::gcs_server

#pragma once

#include <cstddef>
#include <memory>
#include <optional>
#include <string>
#include <string_view>

namespace kinetic {

/// Computes object IDs of git: SHA-1 for IDs of 20 bytes, SHA-256 for others. git's SHA-1 is not a
/// protection against forgery; do not use it for anything else.
class GitHash {
 public:
  explicit GitHash(std::size_t id_bytes);
  GitHash(const GitHash&) = delete;
  GitHash& operator=(const GitHash&) = delete;
  ~GitHash();

  GitHash& Update(std::string_view bytes);
  /// Returns the ID as bytes. The object cannot be used afterwards.
  std::string Finish();

 private:
  struct Context;
  std::unique_ptr<Context> context_;
};

/// Returns up to `max_bytes` from the start of what zlib (RFC 1950) compressed, or nullopt if the
/// data is damaged. Bytes after the compressed data are ignored.
std::optional<std::string> InflateStart(std::string_view compressed, std::size_t max_bytes);

}  // namespace kinetic

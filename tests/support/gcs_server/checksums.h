#pragma once

#include "http/headers.h"
#include "support/gcs_server/reply.h"

#include <nlohmann/json.hpp>

#include <cstdint>
#include <memory>
#include <optional>
#include <string>
#include <string_view>

namespace kinetic::gcs_server {

/// Checksums declared by a client, in base64.
struct DeclaredSums {
  std::optional<std::string> crc32c;
  std::optional<std::string> md5;

  /// Reads `crc32c` and `md5Hash` of an object's metadata. @errors 400 for invalid checksums.
  static Outcome<DeclaredSums> FromMetadata(const nlohmann::json& metadata);
  /// Adds those of X-Goog-Hash. @errors 400, also for conflicting values.
  Outcome<void> Add(const http::Headers& headers);
};

/// Incremental MD5.
class Md5 {
 public:
  Md5();
  void Update(std::string_view bytes);
  /// Returns the digest in base64. May be called once.
  std::string Finish();

 private:
  struct Free {
    void operator()(void* context) const;
  };
  std::unique_ptr<void, Free> context_;
};

}  // namespace kinetic::gcs_server

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

/// What a client says the sums of its bytes are, both in base64.
struct DeclaredSums {
  std::optional<std::string> crc32c;
  std::optional<std::string> md5;

  /// From `crc32c` and `md5Hash` of an object's metadata. @errors 400 for what is no such sum.
  static Outcome<DeclaredSums> FromMetadata(const nlohmann::json& metadata);
  /// Adds what X-Goog-Hash says. @errors 400, also when the two differ.
  Outcome<void> Add(const http::Headers& headers);
};

/// MD5 in pieces.
class Md5 {
 public:
  Md5();
  void Update(std::string_view bytes);
  /// In base64; once.
  std::string Finish();

 private:
  struct Free {
    void operator()(void* context) const;
  };
  std::unique_ptr<void, Free> context_;
};

}  // namespace kinetic::gcs_server

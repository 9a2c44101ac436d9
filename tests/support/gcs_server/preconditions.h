#pragma once

#include "support/gcs_server/object.h"
#include "support/gcs_server/request.h"

#include <cstdint>
#include <optional>
#include <string>

namespace kinetic::gcs_server {

/// Preconditions of a request.
///
/// @source https://cloud.google.com/storage/docs/request-preconditions
class Preconditions {
 public:
  Preconditions() = default;
  /// Reads them from the query (`prefix` is "if" or "ifSource") and If-Match, If-None-Match.
  /// @errors 400
  static Outcome<Preconditions> Of(const Request& request, const std::string& prefix = "if");
  /// Reads `objectPreconditions` of a source of compose. @errors 400
  static Outcome<Preconditions> OfSource(const nlohmann::json& source);

  /// Checks against the live object, or null if there is none. @errors 412
  Outcome<void> Check(const Object* live) const;
  /// Checks for a read. @errors 412, 304
  Outcome<void> CheckRead(const Object& live) const;
  /// Checks against a bucket, which only has a metageneration. @errors 412
  Outcome<void> CheckBucket(std::int64_t metageneration) const;

 private:
  std::optional<std::string> Unmatched(std::int64_t generation, std::int64_t metageneration) const;
  std::optional<std::string> Matched(std::int64_t generation, std::int64_t metageneration) const;

  std::optional<std::int64_t> generation_;
  std::optional<std::int64_t> not_generation_;
  std::optional<std::int64_t> metageneration_;
  std::optional<std::int64_t> not_metageneration_;
  std::optional<std::string> etag_;
  std::optional<std::string> not_etag_;
};

}  // namespace kinetic::gcs_server

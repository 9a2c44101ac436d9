#pragma once

#include "kinetic/result.h"
#include "kinetic/value.h"

#include "gcs/sender.h"
#include "http/transport.h"
#include "http/url.h"

#include <chrono>
#include <optional>
#include <stop_token>
#include <string>
#include <vector>

namespace kinetic::gcs {

/// The fields of a bucket resource that kinetic uses.
///
/// @source https://cloud.google.com/storage/docs/json_api/v1/buckets#resource
struct Bucket {
  std::string name;
  std::string storage_class = "STANDARD";  ///< of objects without their own
  std::chrono::seconds soft_delete{0};     ///< how long deleted objects are kept and billed
  std::chrono::seconds retention{0};       ///< minimum age for replacing or deleting objects
  bool versioning = false;                 ///< keeps replaced and deleted objects as old versions
  bool event_based_hold = false;           ///< new objects cannot be deleted until released
  std::vector<Value> lifecycle;            ///< rules as in Cloud Storage; others' rules are kept
  std::int64_t metageneration = 0;

  /// Returns whether a deleted object is gone and no longer billed immediately, at any age.
  bool DeletesImmediately() const;
};

/// Returns a lifecycle rule that deletes objects `days` after their custom time. Empty `prefixes`:
/// all objects.
Value DeleteAfterCustomTimeRule(int days, const std::vector<std::string>& prefixes);
/// Returns a lifecycle rule that deletes objects `days` after their creation.
Value DeleteAfterAgeRule(int days, const std::vector<std::string>& prefixes);

/// @errors   of all functions: those of http::Transport::Stream and ErrorFromResponse.
/// @threads  safe to call concurrently.
class Buckets {
 public:
  /// `transport` and `clock` must outlive this object.
  Buckets(http::Transport& transport, Clock& clock, ClientOptions options)
      : sender_(transport, clock, options), options_(std::move(options)) {}

  /// Returns nullopt if the bucket does not exist.
  Result<std::optional<Bucket>> Get(const std::string& name, std::stop_token stop) const;

  /// Replaces all rules. Returns nullopt if the bucket changed since `known` was read.
  Result<std::optional<Bucket>> SetLifecycle(const Bucket& known, const std::vector<Value>& rules,
                                             std::stop_token stop) const;

 private:
  http::Url BucketUrl(const std::string& name) const;
  Result<std::optional<Bucket>> Patch(const Bucket& known, const Value& changes,
                                      std::stop_token stop) const;

  Sender sender_;
  ClientOptions options_;
};

}  // namespace kinetic::gcs

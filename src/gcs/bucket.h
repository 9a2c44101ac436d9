#pragma once

#include "kinetic/result.h"
#include "kinetic/value.h"

#include "gcs/sender.h"
#include "http/transport.h"
#include "http/url.h"

#include <chrono>
#include <map>
#include <optional>
#include <stop_token>
#include <string>
#include <vector>

namespace kinetic::gcs {

/// A bucket's resource, as far as kinetic cares.
///
/// @source https://cloud.google.com/storage/docs/json_api/v1/buckets#resource
struct Bucket {
  std::string name;
  std::string location = "US";             ///< "US", "us-central1": Google writes it in capitals
  std::string storage_class = "STANDARD";  ///< of objects that say nothing else
  bool uniform_access = true;              ///< no access control lists of single objects
  bool public_access_prevented = true;
  /// How long what was deleted stays, and is paid for; zero: not at all.
  std::chrono::seconds soft_delete{0};
  /// What is stored stays at least this long, and may be neither replaced nor removed before.
  std::chrono::seconds retention{0};
  bool versioning = false;  ///< what is replaced or removed stays as an older version
  bool held = false;        ///< what is stored stays until a hold on it is lifted
  /// Rules as Cloud Storage writes them: those of others are passed on as they are.
  std::vector<Value> lifecycle;
  std::map<std::string, std::string> labels;
  std::int64_t metageneration = 0;

  /// Whether what is removed is gone at once and costs nothing any more, also when it was stored
  /// only a moment ago.
  bool KeepsNothingBack() const;
};

/// Deletes objects whose custom time was `days` ago. @param prefixes  of their names; empty: all
Value DeletionAfterCustomTime(int days, const std::vector<std::string>& prefixes);
/// Deletes objects that were made `days` ago.
Value DeletionByAge(int days, const std::vector<std::string>& prefixes);

/// Buckets by name.
///
/// @errors   of every call: those of http::Transport::Stream and of gcs::ErrorOf.
/// @threads  safe to call concurrently.
class Buckets {
 public:
  /// All outlive it.
  Buckets(http::Transport& transport, Clock& clock, ClientOptions options)
      : sender_(transport, clock, options), options_(std::move(options)) {}

  /// Makes a bucket. One of that name that is ours already is returned as it is: compare.
  ///
  /// @param project  that pays for it.
  /// @errors  kAlreadyExists: the name belongs to somebody else.
  Result<Bucket> Create(const std::string& project, const Bucket& bucket,
                        std::stop_token stop) const;

  /// Nothing: there is no such bucket.
  Result<std::optional<Bucket>> Get(const std::string& name, std::stop_token stop) const;

  /// Replaces all rules. Nothing: the bucket is not as it was seen any more.
  Result<std::optional<Bucket>> SetLifecycle(const Bucket& seen, const std::vector<Value>& rules,
                                             std::stop_token stop) const;

  /// Removes an empty bucket; one that is not there counts as removed.
  ///
  /// @errors  kAlreadyExists: it is not empty.
  Status Remove(const std::string& name, std::stop_token stop) const;

 private:
  http::Url Address(const std::string& name) const;
  Result<std::optional<Bucket>> Patch(const Bucket& seen, const Value& changes,
                                      std::stop_token stop) const;

  Sender sender_;
  ClientOptions options_;
};

}  // namespace kinetic::gcs

#pragma once

#include "support/gcs_server/object.h"

#include <nlohmann/json.hpp>

#include <chrono>
#include <cstdint>
#include <functional>
#include <map>
#include <mutex>
#include <optional>
#include <string>
#include <vector>

namespace kinetic::gcs_server {

/// The buckets and their live objects. Buckets are not versioned: a replaced generation is removed.
/// As at Google, an object is created or changed at most once per second and name. A removal
/// counts, but is never rejected.
///
/// @threads  safe to call concurrently; each call is one atomic step.
class Storage {
 public:
  /// Decides whether a change is permitted, given the current state (null: none).
  using Check = std::function<Outcome<void>(const Object* live)>;
  using Change = std::function<Outcome<void>(nlohmann::json& attributes)>;
  using BucketChange = std::function<Outcome<void>(nlohmann::json& resource)>;

  /// `clock` outlives it. `interval`: minimum time between two changes of an object.
  Storage(Clock& clock, std::chrono::milliseconds interval) : clock_(clock), interval_(interval) {}

  /// @errors 409
  Outcome<nlohmann::json> CreateBucket(nlohmann::json resource);
  /// @errors 404
  Outcome<nlohmann::json> Bucket(const std::string& name) const;
  std::vector<nlohmann::json> Buckets() const;
  /// Creates a new metageneration. @errors 404, and those of `change`
  Outcome<nlohmann::json> ChangeBucket(const std::string& name, const BucketChange& change);
  /// @errors 404 · 409 if it is not empty · those of `check`, which receives its resource
  Outcome<void> RemoveBucket(const std::string& name, const BucketChange& check);

  /// Returns the live object, of the given generation if any. @errors 404
  Outcome<ObjectPtr> Find(const std::string& bucket, const std::string& name,
                          std::optional<std::int64_t> generation = {}) const;
  /// Returns null if there is no such object or bucket.
  ObjectPtr Live(const std::string& bucket, const std::string& name) const;
  /// Stores `object` as a new generation. @errors 404 (the bucket), 429, those of `check`
  Outcome<ObjectPtr> Put(Object object, const Check& check);
  /// Creates a new metageneration. @errors 404, 429, those of `check` and `change`
  Outcome<ObjectPtr> Update(const std::string& bucket, const std::string& name,
                            std::optional<std::int64_t> generation, const Check& check,
                            const Change& change);
  /// @errors 404, those of `check`
  Outcome<void> Remove(const std::string& bucket, const std::string& name,
                       std::optional<std::int64_t> generation, const Check& check);

  /// Calls `visit` for the objects from `first` on in order of their names, until it returns false
  /// or another name to continue from. @errors 404
  struct Step {
    bool more = true;
    std::string skip_to;  ///< empty: the next one
  };
  Outcome<void> Walk(const std::string& bucket, const std::string& first,
                     const std::function<Step(const Object& object)>& visit) const;

 private:
  struct BucketState {
    nlohmann::json resource;
    std::map<std::string, ObjectPtr> objects;
    std::map<std::string, SteadyTime> changes;  ///< the last change of each name
  };

  std::int64_t NextGeneration();
  /// @errors 429
  Outcome<void> CheckRate(BucketState& bucket, const std::string& bucket_name,
                          const std::string& name) const;
  void CountChange(BucketState& bucket, const std::string& name);
  Outcome<ObjectPtr> FindLocked(const std::string& bucket, const std::string& name,
                                std::optional<std::int64_t> generation) const;

  Clock& clock_;
  const std::chrono::milliseconds interval_;
  mutable std::mutex mutex_;
  std::map<std::string, BucketState> buckets_;
  std::int64_t last_generation_ = 0;
};

}  // namespace kinetic::gcs_server

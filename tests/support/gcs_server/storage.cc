#include "support/gcs_server/storage.h"

#include "base/time/clock.h"
#include "support/gcs_server/errors.h"

#include <algorithm>

namespace kinetic::gcs_server {

using nlohmann::json;

std::int64_t Storage::NextGeneration() {
  last_generation_ = std::max(last_generation_ + 1, ToMicros(clock_.Now()));
  return last_generation_;
}

Outcome<void> Storage::CheckRate(BucketState& bucket, const std::string& bucket_name,
                                 const std::string& name) const {
  const auto last = bucket.changes.find(name);
  if (last == bucket.changes.end() || clock_.Steady() - last->second >= interval_) return {};
  return Refuse(TooManyMutations(bucket_name, name));
}

void Storage::CountChange(BucketState& bucket, const std::string& name) {
  constexpr std::size_t kKept = 10'000;
  const SteadyTime now = clock_.Steady();
  if (bucket.changes.size() >= kKept) {
    std::erase_if(bucket.changes,
                  [&](const auto& change) { return now - change.second >= interval_; });
  }
  bucket.changes[name] = now;
}

Outcome<json> Storage::CreateBucket(json resource) {
  const std::lock_guard lock(mutex_);
  const std::string name = resource.at("name").get<std::string>();
  const std::string now = TimeText(clock_.Now());
  resource.update({{"timeCreated", now}, {"updated", now}, {"metageneration", "1"}});
  const auto [at, created] = buckets_.try_emplace(name, BucketState{resource, {}, {}});
  if (!created) {
    return Refuse(
        Conflict("Your previous request to create the named bucket succeeded and you "
                 "already own it."));
  }
  return resource;
}

Outcome<json> Storage::Bucket(const std::string& name) const {
  const std::lock_guard lock(mutex_);
  const auto at = buckets_.find(name);
  if (at == buckets_.end()) return Refuse(NoSuchBucket());
  return at->second.resource;
}

std::vector<json> Storage::Buckets() const {
  const std::lock_guard lock(mutex_);
  std::vector<json> all;
  for (const auto& [name, bucket] : buckets_) all.push_back(bucket.resource);
  return all;
}

Outcome<json> Storage::ChangeBucket(const std::string& name, const BucketChange& change) {
  const std::lock_guard lock(mutex_);
  const auto at = buckets_.find(name);
  if (at == buckets_.end()) return Refuse(NoSuchBucket());
  json changed = at->second.resource;
  if (auto done = change(changed); !done) return Refuse(done.error());
  const std::string metageneration = changed.at("metageneration").get<std::string>();
  changed["metageneration"] = std::to_string(std::stoll(metageneration) + 1);
  changed["updated"] = TimeText(clock_.Now());
  at->second.resource = changed;
  return changed;
}

Outcome<void> Storage::RemoveBucket(const std::string& name, const BucketChange& check) {
  const std::lock_guard lock(mutex_);
  const auto at = buckets_.find(name);
  if (at == buckets_.end()) return Refuse(NoSuchBucket());
  if (auto checked = check(at->second.resource); !checked) return checked;
  if (!at->second.objects.empty()) {
    return Refuse(Conflict("The bucket you tried to delete is not empty."));
  }
  buckets_.erase(at);
  return {};
}

Outcome<ObjectPtr> Storage::FindLocked(const std::string& bucket, const std::string& name,
                                       std::optional<std::int64_t> generation) const {
  const auto at = buckets_.find(bucket);
  if (at == buckets_.end()) return Refuse(NoSuchBucket());
  const auto found = at->second.objects.find(name);
  const bool there = found != at->second.objects.end() &&
                     (!generation || *generation == found->second->generation);
  if (!there) return Refuse(NoSuchObject(bucket, name));
  return found->second;
}

Outcome<ObjectPtr> Storage::Find(const std::string& bucket, const std::string& name,
                                 std::optional<std::int64_t> generation) const {
  const std::lock_guard lock(mutex_);
  return FindLocked(bucket, name, generation);
}

ObjectPtr Storage::Live(const std::string& bucket, const std::string& name) const {
  const auto found = Find(bucket, name);
  return found ? *found : nullptr;
}

Outcome<ObjectPtr> Storage::Put(Object object, const Check& check) {
  const std::lock_guard lock(mutex_);
  const auto at = buckets_.find(object.bucket);
  if (at == buckets_.end()) return Refuse(NoSuchBucket());
  BucketState& bucket = at->second;
  const auto before = bucket.objects.find(object.name);
  const Object* live = before == bucket.objects.end() ? nullptr : before->second.get();
  if (auto checked = check(live); !checked) return Refuse(checked.error());
  if (auto checked = CheckRate(bucket, object.bucket, object.name); !checked) {
    return Refuse(checked.error());
  }
  CountChange(bucket, object.name);
  object.generation = NextGeneration();
  object.metageneration = 1;
  object.created = object.updated = clock_.Now();
  const auto stored = std::make_shared<const Object>(std::move(object));
  return bucket.objects[stored->name] = stored;
}

Outcome<ObjectPtr> Storage::Update(const std::string& bucket, const std::string& name,
                                   std::optional<std::int64_t> generation, const Check& check,
                                   const Change& change) {
  const std::lock_guard lock(mutex_);
  const auto found = FindLocked(bucket, name, generation);
  if (!found) return found;
  if (auto checked = check(found->get()); !checked) return Refuse(checked.error());
  BucketState& state = buckets_.at(bucket);
  if (auto checked = CheckRate(state, bucket, name); !checked) return Refuse(checked.error());
  Object changed = **found;
  if (auto done = change(changed.attributes); !done) return Refuse(done.error());
  ++changed.metageneration;
  changed.updated = clock_.Now();
  CountChange(state, name);
  ObjectPtr& live = state.objects.at(name);
  live = std::make_shared<const Object>(std::move(changed));
  return live;
}

Outcome<void> Storage::Remove(const std::string& bucket, const std::string& name,
                              std::optional<std::int64_t> generation, const Check& check) {
  const std::lock_guard lock(mutex_);
  const auto found = FindLocked(bucket, name, generation);
  if (!found) return Refuse(found.error());
  if (auto checked = check(found->get()); !checked) return checked;
  BucketState& state = buckets_.at(bucket);
  CountChange(state, name);
  state.objects.erase(name);
  return {};
}

Outcome<void> Storage::Walk(const std::string& bucket, const std::string& first,
                            const std::function<Step(const Object& object)>& visit) const {
  const std::lock_guard lock(mutex_);
  const auto at = buckets_.find(bucket);
  if (at == buckets_.end()) return Refuse(NoSuchBucket());
  const auto& objects = at->second.objects;
  for (auto next = objects.lower_bound(first); next != objects.end();) {
    const Step step = visit(*next->second);
    if (!step.more) break;
    next = step.skip_to.empty() ? std::next(next) : objects.lower_bound(step.skip_to);
  }
  return {};
}

}  // namespace kinetic::gcs_server

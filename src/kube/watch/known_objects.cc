#include "kinetic/try.h"

#include "kube/object.h"
#include "kube/watch/watcher.h"

namespace kinetic::kube {
namespace {

std::string ObjectKey(const Value& object) {
  std::string key(NamespaceOf(object));
  key += '/';
  key += NameOf(object);
  return key;
}

}  // namespace

Status KnownObjects::Update(const Value& object) {
  const std::string_view uid = UidOf(object);
  const std::string_view version = ResourceVersionOf(object);
  const auto [found, added] = known_.try_emplace(ObjectKey(object));
  Entry& entry = found->second;
  if (!added && entry.uid != uid) KINETIC_RETURN_IF_ERROR(EmitDeleted(found->first, entry));
  const bool duplicate = !added && entry.uid == uid && entry.version == version;
  entry.uid = uid;
  entry.version = version;
  entry.list = list_;
  return duplicate ? Status() : each_({WatchEvent::Kind::kUpdated, &object});
}

Status KnownObjects::Remove(const Value& object) {
  const auto found = known_.find(ObjectKey(object));
  if (found == known_.end() || found->second.uid != UidOf(object)) return {};
  known_.erase(found);
  return each_({WatchEvent::Kind::kDeleted, &object});
}

Status KnownObjects::EndList() {
  for (auto next = known_.begin(); next != known_.end();) {
    const auto here = next++;
    if (here->second.list == list_) continue;
    const auto gone = known_.extract(here);
    KINETIC_RETURN_IF_ERROR(EmitDeleted(gone.key(), gone.mapped()));
  }
  return {};
}

Status KnownObjects::EmitDeleted(const std::string& key, const Entry& entry) const {
  const std::size_t slash = key.find('/');
  Value metadata{Value::Map{}};
  metadata.Set("name", key.substr(slash + 1));
  if (slash > 0) metadata.Set("namespace", key.substr(0, slash));
  metadata.Set("uid", entry.uid);
  metadata.Set("resourceVersion", entry.version);
  Value object{Value::Map{}};
  object.Set("metadata", std::move(metadata));
  return each_({WatchEvent::Kind::kDeleted, &object});
}

}  // namespace kinetic::kube

#include "kinetic/try.h"

#include "backend/kubernetes/lifecycle/end.h"
#include "backend/kubernetes/manifest/names.h"
#include "backend/kubernetes/manifest/object_fields.h"

#include <chrono>

namespace kinetic::backend {
namespace {

constexpr std::chrono::hours kOnTheWay{1};

struct OrphanedSecret {
  std::string name;
  std::string uid;
};

bool IsOrphaned(const Value& secret, const OrphanQuery& query) {
  const Value* owners = At(secret, {"metadata", "ownerReferences"});
  const auto created = TimeAt(secret, {"metadata", "creationTimestamp"});
  return TextAt(secret, {"metadata", "annotations", kStoreAnnotation}) == query.store &&
         (owners == nullptr || *owners == Value(Value::List{})) && created &&
         query.now - *created > kOnTheWay;
}

/// Returns whether the Secret's Job does not exist.
Result<bool> HasNoJob(const kube::Client& client, std::string_view name_space,
                      const OrphanedSecret& secret, const std::stop_token& stop) {
  KINETIC_ASSIGN_OR_RETURN(const auto job, client.Get(kube::kJobs, name_space, secret.name, stop));
  return !job.has_value();
}

}  // namespace

Result<std::vector<std::string>> RemoveOrphanedSecrets(const kube::Client& client,
                                                       const OrphanQuery& query,
                                                       std::stop_token stop) {
  std::vector<OrphanedSecret> left;
  const auto check = [&](const Value& secret) -> Status {
    if (IsOrphaned(secret, query)) {
      left.push_back({std::string(NameOf(secret)), std::string(UidOf(secret))});
    }
    return {};
  };
  KINETIC_RETURN_IF_ERROR(client.List(kube::kSecrets, query.name_space,
                                      {.label_selector = ManagedSelector(), .field_selector = {}},
                                      check, stop));
  std::vector<std::string> names;
  for (const auto& secret : left) {
    KINETIC_ASSIGN_OR_RETURN(const bool goes, HasNoJob(client, query.name_space, secret, stop));
    if (!goes) continue;
    names.push_back("secret " + std::string(query.name_space) + "/" + secret.name);
    if (query.dry_run) continue;
    KINETIC_RETURN_IF_ERROR(client.Delete(kube::kSecrets, query.name_space, secret.name,
                                          {.grace = {}, .uid = secret.uid}, stop));
  }
  return names;
}

}  // namespace kinetic::backend

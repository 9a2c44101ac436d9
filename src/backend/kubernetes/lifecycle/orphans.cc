#include "backend/kubernetes/lifecycle/cancel.h"
#include "backend/kubernetes/manifest/names.h"
#include "backend/kubernetes/object_fields.h"
#include "base/try.h"

#include <chrono>

namespace kinetic::backend {
namespace {

constexpr std::chrono::hours kOnTheWay{1};

struct LeftSecret {
  std::string name;
  std::string uid;
};

bool IsLeft(const Value& secret, const LeftoverSearch& search) {
  const Value* owners = At(secret, {"metadata", "ownerReferences"});
  const auto created = TimeAt(secret, {"metadata", "creationTimestamp"});
  return TextAt(secret, {"metadata", "annotations", kStoreAnnotation}) == search.store &&
         (owners == nullptr || *owners == Value(Value::List{})) && created &&
         search.now - *created > kOnTheWay;
}

/// Returns whether the Secret's Job does not exist.
Result<bool> HasNoJob(const kube::Client& client, std::string_view name_space,
                      const LeftSecret& secret, const std::stop_token& stop) {
  KINETIC_ASSIGN_OR_RETURN(const auto job, client.Get(kube::kJobs, name_space, secret.name, stop));
  return !job.has_value();
}

}  // namespace

Result<std::vector<std::string>> RemoveLeftSecrets(const kube::Client& client,
                                                   const LeftoverSearch& search,
                                                   std::stop_token stop) {
  std::vector<LeftSecret> left;
  const auto look = [&](const Value& secret) -> Status {
    if (IsLeft(secret, search)) {
      left.push_back({std::string(NameOf(secret)), std::string(UidOf(secret))});
    }
    return {};
  };
  KINETIC_RETURN_IF_ERROR(client.List(kube::kSecrets, search.name_space,
                                      {.label_selector = ManagedSelector(), .field_selector = {}},
                                      look, stop));
  std::vector<std::string> names;
  for (const auto& secret : left) {
    KINETIC_ASSIGN_OR_RETURN(const bool goes, HasNoJob(client, search.name_space, secret, stop));
    if (!goes) continue;
    names.push_back("secret " + std::string(search.name_space) + "/" + secret.name);
    if (search.dry_run) continue;
    KINETIC_RETURN_IF_ERROR(client.Delete(kube::kSecrets, search.name_space, secret.name,
                                          {.grace = {}, .uid = secret.uid}, stop));
  }
  return names;
}

}  // namespace kinetic::backend

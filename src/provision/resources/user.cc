#include "provision/resources/user.h"

#include "kinetic/try.h"

#include "google/api/services.h"
#include "http/url.h"
#include "provision/policy.h"
#include "provision/resources/access.h"
#include "provision/resources/api_resource.h"
#include "provision/user.h"

#include <algorithm>
#include <iterator>
#include <utility>
#include <vector>

namespace kinetic::provision {
namespace {

/// IAM conditions cannot limit listings to a prefix; the policy of a managed folder does.
///
/// @source  https://cloud.google.com/storage/docs/managed-folders,
///          https://cloud.google.com/storage/docs/listing-objects
std::unique_ptr<Resource> MakeFolder(const Scope& scope, const std::string& email) {
  const std::string service(google::kStorage);
  const std::string folders =
      "/storage/v1/b/" + http::PercentEncode(scope.Bucket()) + "/managedFolders";
  ApiResourceSpec spec;
  spec.kind = "folder";
  spec.name = UserStore(scope, email);
  spec.service = service;
  spec.path = folders + "/" + http::PercentEncode(UserFolder(email));
  spec.create = {"POST", service, folders, Value::Map{{"name", UserFolder(email)}}};
  // The objects in a deleted managed folder are kept.
  spec.removal_query = "?allowNonEmpty=true";
  spec.compare = [](const Value& /*existing*/) { return Comparison{}; };
  return MakeApiResource(*scope.api, std::move(spec));
}

AccessSpec FolderAccess(const Scope& scope, const std::string& email) {
  const std::string pods = scope.PodPrincipal(UserNamespace(scope, email));
  return {.name = "objects of " + email,
          .target = FolderPolicy(scope.Bucket(), UserFolder(email)),
          .grants = {{.role = "roles/storage.objectUser", .member = UserMember(email)},
                     {.role = "roles/storage.objectUser", .member = pods}},
          .needs = {}};
}

/// storage.buckets.get, which parallel uploads need.
AccessSpec BucketAccess(const Scope& scope, const std::string& email) {
  const std::string pods = scope.PodPrincipal(UserNamespace(scope, email));
  return {.name = "settings of the bucket",
          .target = BucketPolicy(scope.Bucket()),
          .grants = {{.role = "roles/storage.bucketViewer", .member = UserMember(email)},
                     {.role = "roles/storage.bucketViewer", .member = pods}},
          .needs = {}};
}

/// Parts that are created one after another, and removed in the opposite order. The first one
/// records the user.
class User final : public Resource {
 public:
  User(const Scope& scope, const ClusterAdminOptions& options, std::string email,
       NamespaceRemoval removal)
      : email_(std::move(email)), detail_("namespace " + UserNamespace(scope, email_)) {
    parts_.push_back(MakeFolder(scope, email_));
    parts_.push_back(MakeAccess(*scope.api, FolderAccess(scope, email_)));
    parts_.push_back(MakeAccess(*scope.api, BucketAccess(scope, email_)));
    parts_.push_back(MakeUserRoles(scope, email_));
    roles_ = parts_.back().get();
    parts_.push_back(MakeLifecycleRules(scope, UserFolder(email_)));
    parts_.push_back(MakeUserNamespace(scope, options, email_, removal));
    for (const auto& part : parts_) removed_.insert(removed_.begin(), part.get());
    if (removal == NamespaceRemoval::kWithCluster) removed_.erase(removed_.begin());
  }

  std::string Kind() const override { return "user"; }
  std::string Name() const override { return email_; }
  std::string Key() const override { return "user " + email_; }
  std::vector<std::string> Needs() const override {
    return {"bucket", "cluster", "objects of " + email_};
  }

  Result<Observation> Read(std::stop_token stop) override {
    requests_.clear();
    std::size_t missing = 0;
    for (const auto& part : parts_) {
      KINETIC_ASSIGN_OR_RETURN(const Observation observed, part->Read(stop));
      if (observed.action == PlanAction::kKeep) continue;
      ++missing;
      std::ranges::copy(part->Requests(), std::back_inserter(requests_));
    }
    if (missing == 0) return Observation{PlanAction::kKeep, detail_};
    return Observation{missing == parts_.size() ? PlanAction::kCreate : PlanAction::kChange,
                       detail_};
  }

  std::vector<google::ApiRequest> Requests() const override { return requests_; }

  Status Converge(std::stop_token stop) override {
    for (const auto& part : parts_) KINETIC_RETURN_IF_ERROR(part->Converge(stop));
    return {};
  }

  std::vector<google::ApiRequest> RemovalRequests() const override {
    std::vector<google::ApiRequest> requests;
    for (Resource* const part : removed_)
      std::ranges::copy(part->RemovalRequests(), std::back_inserter(requests));
    return requests;
  }

  /// A member of the project's policy alone may have been added by someone else.
  Result<bool> IsOurs(std::stop_token stop) override {
    KINETIC_ASSIGN_OR_RETURN(const bool ours, parts_.front()->IsOurs(stop));
    // Determines the requests of the removal.
    if (ours) KINETIC_RETURN_IF_ERROR(roles_->IsOurs(std::move(stop)));
    return ours;
  }

  std::vector<std::string> RemovalWarnings() const override { return roles_->RemovalWarnings(); }

  Status Remove(std::stop_token stop) override {
    for (Resource* const part : removed_) KINETIC_RETURN_IF_ERROR(part->Remove(stop));
    return {};
  }

 private:
  std::string email_;
  std::string detail_;
  std::vector<std::unique_ptr<Resource>> parts_;
  Resource* roles_ = nullptr;                 ///< one of the parts
  std::vector<Resource*> removed_;            ///< in the order of removal
  std::vector<google::ApiRequest> requests_;  ///< found by Read
};

}  // namespace

std::unique_ptr<Resource> MakeUser(const Scope& scope, const ClusterAdminOptions& options,
                                   const std::string& email, NamespaceRemoval removal) {
  return std::make_unique<User>(scope, options, email, removal);
}

}  // namespace kinetic::provision

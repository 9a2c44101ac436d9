#include "kinetic/try.h"

#include "google/api/services.h"
#include "http/url.h"
#include "json/document.h"
#include "provision/policy.h"
#include "provision/resources/access.h"
#include "provision/resources/user.h"
#include "provision/user.h"

#include <memory>
#include <string>
#include <utility>
#include <vector>

namespace kinetic::provision {
namespace {

/// The second role lets the credential of `gcloud` name the project that its requests count for,
/// which some APIs require.
AccessSpec ProjectAccess(const Scope& scope, const std::string& email) {
  return {
      .name = "find the cluster",
      .target = ProjectPolicy(scope.project),
      .grants = {{.role = "roles/container.clusterViewer", .member = UserMember(email)},
                 {.role = "roles/serviceusage.serviceUsageConsumer", .member = UserMember(email)}},
      .needs = {}};
}

/// Returns whether a bucket belongs to another cluster that kinetic created.
bool IsOfAnotherCluster(const Scope& scope, const Value& bucket) {
  const Value* labels = bucket.Find("labels");
  const std::string owner = labels != nullptr ? json::TextAt(*labels, kOwnerLabel) : "";
  return !owner.empty() && owner != scope.name;
}

class UserRoles final : public Resource {
 public:
  UserRoles(const Scope& scope, std::string email)
      : scope_(&scope),
        email_(std::move(email)),
        access_(MakeAccess(*scope.api, ProjectAccess(scope, email_))) {}

  std::string Kind() const override { return access_->Kind(); }
  std::string Name() const override { return access_->Name(); }

  Result<Observation> Read(std::stop_token stop) override { return access_->Read(std::move(stop)); }
  std::vector<google::ApiRequest> Requests() const override { return access_->Requests(); }
  Status Converge(std::stop_token stop) override { return access_->Converge(std::move(stop)); }

  std::vector<google::ApiRequest> RemovalRequests() const override {
    return is_shared_ ? std::vector<google::ApiRequest>() : access_->RemovalRequests();
  }

  Result<bool> IsOurs(std::stop_token stop) override {
    KINETIC_ASSIGN_OR_RETURN(is_shared_, IsUserOfAnotherCluster(stop));
    if (is_shared_) return false;
    return access_->IsOurs(std::move(stop));
  }

  Status Remove(std::stop_token stop) override {
    KINETIC_ASSIGN_OR_RETURN(const bool is_shared, IsUserOfAnotherCluster(stop));
    return is_shared ? Status{} : access_->Remove(std::move(stop));
  }

  std::vector<std::string> RemovalWarnings() const override {
    if (unreadable_.empty()) return {};
    return {"the roles of " + email_ + " in the project are kept, because bucket " + unreadable_ +
            " of another cluster cannot be read and may have the same user"};
  }

 private:
  /// Users are recorded as managed folders of the buckets of their clusters.
  Result<bool> IsUserOfAnotherCluster(const std::stop_token& stop) {
    const std::string service(google::kStorage);
    KINETIC_ASSIGN_OR_RETURN(
        const auto buckets,
        scope_->api->List(service, "/storage/v1/b?project=" + http::PercentEncode(scope_->project),
                          "items", stop));
    for (const Value& bucket : buckets) {
      if (!IsOfAnotherCluster(*scope_, bucket)) continue;
      const std::string folder = "/storage/v1/b/" +
                                 http::PercentEncode(json::TextAt(bucket, "name")) +
                                 "/managedFolders/" + http::PercentEncode(UserFolder(email_));
      const auto found = scope_->api->Find(service, folder, stop);
      if (!found && found.error().code != ErrorCode::kPermissionDenied)
        return Failure(found.error());
      if (!found) unreadable_ = json::TextAt(bucket, "name");
      if (!found || *found) return true;
    }
    return false;
  }

  const Scope* scope_;
  std::string email_;
  std::unique_ptr<Resource> access_;
  bool is_shared_ = false;  ///< found by IsOurs
  std::string unreadable_;  ///< a bucket that may have the user
};

}  // namespace

std::unique_ptr<Resource> MakeUserRoles(const Scope& scope, const std::string& email) {
  return std::make_unique<UserRoles>(scope, email);
}

}  // namespace kinetic::provision

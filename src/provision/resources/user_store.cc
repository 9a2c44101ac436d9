#include "kinetic/try.h"

#include "google/api/services.h"
#include "http/retry.h"
#include "http/url.h"
#include "json/document.h"
#include "provision/includes.h"
#include "provision/policy.h"
#include "provision/resources/storage_client.h"
#include "provision/resources/user.h"
#include "provision/user.h"
#include "store/bucket/location.h"

#include <chrono>
#include <optional>
#include <string>
#include <utility>
#include <vector>

namespace kinetic::provision {
namespace {

class LifecycleRules final : public Resource {
 public:
  LifecycleRules(const Scope& scope, std::string prefix)
      : scope_(&scope), prefix_(std::move(prefix)) {}

  std::string Kind() const override { return "lifecycle rules"; }
  std::string Name() const override { return prefix_; }

  Result<Observation> Read(std::stop_token stop) override {
    KINETIC_ASSIGN_OR_RETURN(
        const auto bucket,
        scope_->api->FindCreated(std::string(google::kStorage), BucketPath() + "?fields=lifecycle",
                                 std::move(stop)));
    const std::vector<Value> rules = bucket ? RulesOf(*bucket) : std::vector<Value>();
    return Observation{AreMerged(rules) ? PlanAction::kKeep : PlanAction::kCreate, ""};
  }

  std::vector<google::ApiRequest> Requests() const override {
    Value rules{Value::Map{{"rule", Value::List(wanted_.begin(), wanted_.end())}}};
    return {{"PATCH", std::string(google::kStorage), BucketPath(),
             Value::Map{{"lifecycle", std::move(rules)}}}};
  }

  Status Converge(std::stop_token stop) override {
    http::Backoff backoff(kConflicts, scope_->api->clock());
    for (;;) {
      const std::string fields = "?fields=lifecycle,metageneration";
      KINETIC_ASSIGN_OR_RETURN(
          const Value bucket,
          scope_->api->Send({"GET", std::string(google::kStorage), BucketPath() + fields}, stop));
      if (AreMerged(RulesOf(bucket))) return {};
      google::ApiRequest change = Requests().front();
      change.path += "?ifMetagenerationMatch=" + json::TextAt(bucket, "metageneration");
      const auto changed = scope_->api->Send(change, stop);
      if (changed) return {};
      if (!IsConflict(changed.error())) return Failure(changed.error());
      KINETIC_RETURN_IF_ERROR(backoff.Wait(changed.error(), std::nullopt, stop));
    }
  }

  Result<bool> IsOurs(std::stop_token /*stop*/) override { return false; }
  Status Remove(std::stop_token /*stop*/) override { return {}; }

 private:
  std::string BucketPath() const {
    return "/storage/v1/b/" + http::PercentEncode(scope_->Bucket());
  }

  static std::vector<Value> RulesOf(const Value& bucket) {
    const Value* lifecycle = bucket.Find("lifecycle");
    const Value* rules = lifecycle != nullptr ? lifecycle->Find("rule") : nullptr;
    return rules != nullptr && rules->AsList() != nullptr ? *rules->AsList() : Value::List{};
  }

  /// Sets the wanted rules. Returns whether the existing ones are the same.
  bool AreMerged(const std::vector<Value>& rules) {
    wanted_ = store::MergeLifecycleRules(rules, prefix_);
    return Includes(Value(rules), Value(wanted_));
  }

  const Scope* scope_;
  std::string prefix_;
  std::vector<Value> wanted_;
};

class UserObjects final : public Resource {
 public:
  UserObjects(const Scope& scope, const ClusterAdminOptions& options, std::string email)
      : scope_(&scope), options_(&options), email_(std::move(email)) {}

  std::string Kind() const override { return "objects"; }
  std::string Name() const override { return UserStore(*scope_, email_); }
  std::string Key() const override { return "objects of " + email_; }

  Result<Observation> Read(std::stop_token /*stop*/) override { return Observation{}; }
  std::vector<google::ApiRequest> Requests() const override { return {}; }
  Status Converge(std::stop_token /*stop*/) override { return {}; }

  Result<bool> IsOurs(std::stop_token stop) override {
    const std::string path = "/storage/v1/b/" + http::PercentEncode(scope_->Bucket()) +
                             "/o?maxResults=1&prefix=" + http::PercentEncode(UserFolder(email_));
    KINETIC_ASSIGN_OR_RETURN(
        const auto found, scope_->api->Find(std::string(google::kStorage), path, std::move(stop)));
    const Value* items = found ? found->Find("items") : nullptr;
    return items != nullptr && items->AsList() != nullptr && !items->AsList()->empty();
  }

  Status Remove(std::stop_token stop) override {
    return RemoveObjects(scope_->Bucket(), UserFolder(email_), *options_, std::move(stop));
  }

 private:
  const Scope* scope_;
  const ClusterAdminOptions* options_;
  std::string email_;
};

}  // namespace

std::unique_ptr<Resource> MakeLifecycleRules(const Scope& scope, const std::string& prefix) {
  return std::make_unique<LifecycleRules>(scope, prefix);
}

std::unique_ptr<Resource> MakeUserObjects(const Scope& scope, const ClusterAdminOptions& options,
                                          const std::string& email) {
  return std::make_unique<UserObjects>(scope, options, email);
}

}  // namespace kinetic::provision

#include "provision/join/sufficient_access.h"

#include "kinetic/try.h"

#include "json/document.h"

#include <algorithm>
#include <utility>

namespace kinetic::provision {
namespace {

class SufficientAccess final : public Resource {
 public:
  SufficientAccess(const google::ApiClient& api, AccessSpec spec, SufficientRoles sufficient)
      : api_(&api), grants_(MakeAccess(api, std::move(spec))), sufficient_(std::move(sufficient)) {}

  std::string Kind() const override { return grants_->Kind(); }
  std::string Name() const override { return grants_->Name(); }
  std::string Key() const override { return grants_->Key(); }
  std::vector<std::string> Needs() const override { return grants_->Needs(); }

  Result<Observation> Read(std::stop_token stop) override {
    KINETIC_ASSIGN_OR_RETURN(Observation observed, grants_->Read(stop));
    for (const PolicyTarget& target : sufficient_.policies) {
      if (observed.action == PlanAction::kKeep) break;
      const auto policy = api_->Send(target.read, stop);
      if (policy && GrantsAny(*policy, sufficient_)) observed.action = PlanAction::kKeep;
    }
    return observed;
  }

  std::vector<google::ApiRequest> Requests() const override { return grants_->Requests(); }
  Status Converge(std::stop_token stop) override { return grants_->Converge(std::move(stop)); }
  Result<bool> IsOurs(std::stop_token stop) override { return grants_->IsOurs(std::move(stop)); }
  Status Remove(std::stop_token stop) override { return grants_->Remove(std::move(stop)); }

 private:
  const google::ApiClient* api_;
  std::unique_ptr<Resource> grants_;
  SufficientRoles sufficient_;
};

bool Contains(const std::vector<std::string>& texts, const std::string& text) {
  return std::ranges::find(texts, text) != texts.end();
}

}  // namespace

bool GrantsAny(const Value& policy, const SufficientRoles& sufficient) {
  json::ObjectReader reader(policy, "policy");
  return std::ranges::any_of(reader.List("bindings"), [&](const Value& binding) {
    if (!Contains(sufficient.roles, json::TextAt(binding, "role"))) return false;
    json::ObjectReader members(binding, "binding");
    return std::ranges::any_of(members.List("members"), [&](const Value& member) {
      return member.AsString() != nullptr && Contains(sufficient.members, *member.AsString());
    });
  });
}

std::unique_ptr<Resource> MakeSufficientAccess(const google::ApiClient& api, AccessSpec spec,
                                               SufficientRoles sufficient) {
  return std::make_unique<SufficientAccess>(api, std::move(spec), std::move(sufficient));
}

}  // namespace kinetic::provision

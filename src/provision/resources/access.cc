#include "provision/resources/access.h"

#include "kinetic/try.h"

#include "google/api/services.h"

#include <utility>

namespace kinetic::provision {
namespace {

std::string RolesOf(const std::vector<Grant>& grants) {
  std::string text;
  for (const Grant& grant : grants) text += (text.empty() ? "" : ", ") + grant.role;
  return text;
}

class Access final : public Resource {
 public:
  Access(const google::ApiClient& api, AccessSpec spec) : api_(&api), spec_(std::move(spec)) {}

  std::string Kind() const override { return "access"; }
  std::string Name() const override { return spec_.name; }
  std::string Key() const override { return "access " + spec_.name; }
  std::vector<std::string> Needs() const override { return spec_.needs; }

  Result<Observation> Read(std::stop_token stop) override {
    KINETIC_ASSIGN_OR_RETURN(const std::size_t present, Count(std::move(stop)));
    const bool complete = present == spec_.grants.size();
    return Observation{complete ? PlanAction::kKeep : PlanAction::kCreate, RolesOf(spec_.grants)};
  }

  std::vector<google::ApiRequest> Requests() const override {
    google::ApiRequest write = spec_.target.write;
    write.body = PolicyBody(spec_.target, AddGrants(Value(Value::Map{}), spec_.grants));
    return {spec_.target.read, std::move(write)};
  }

  Status Converge(std::stop_token stop) override {
    return ChangePolicy(*api_, spec_.target, PolicyChange::kAdd, spec_.grants, std::move(stop));
  }

  std::vector<google::ApiRequest> RemovalRequests() const override {
    return {spec_.target.read, spec_.target.write};
  }

  Result<bool> IsOurs(std::stop_token stop) override {
    KINETIC_ASSIGN_OR_RETURN(const std::size_t present, Count(std::move(stop)));
    return present > 0;
  }

  Status Remove(std::stop_token stop) override {
    auto removed =
        ChangePolicy(*api_, spec_.target, PolicyChange::kRemove, spec_.grants, std::move(stop));
    if (!removed && removed.error().code == ErrorCode::kNotFound) return {};
    return removed;
  }

 private:
  /// Returns the number of grants that exist; 0 also if the resource does not.
  Result<std::size_t> Count(std::stop_token stop) const {
    auto policy = api_->Send(spec_.target.read, std::move(stop));
    if (policy) return CountGrants(*policy, spec_.grants);
    const Error& error = policy.error();
    if (error.code == ErrorCode::kNotFound || google::IsApiDisabled(error)) return std::size_t{0};
    return Failure(std::move(policy).error());
  }

  const google::ApiClient* api_;
  AccessSpec spec_;
};

}  // namespace

std::unique_ptr<Resource> MakeAccess(const google::ApiClient& api, AccessSpec spec) {
  return std::make_unique<Access>(api, std::move(spec));
}

}  // namespace kinetic::provision

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
    KINETIC_ASSIGN_OR_RETURN(const Present present, Count(std::move(stop)));
    is_optional_ = spec_.first_suffices && present.has_first;
    Observation observed{PlanAction::kKeep, RolesOf(spec_.grants)};
    if (present.earlier > 0 && !spec_.earlier_warning.empty())
      observed.warnings.push_back(spec_.earlier_warning);
    if (present.grants < spec_.grants.size()) {
      observed.action = PlanAction::kCreate;
    } else if (present.earlier > 0 && ReplacesEarlier()) {
      observed.action = PlanAction::kChange;
      observed.detail = "remove the grants of an earlier version";
    }
    return observed;
  }

  std::vector<google::ApiRequest> Requests() const override {
    google::ApiRequest write = spec_.target.write;
    write.body = PolicyBody(spec_.target, AddGrants(Value(Value::Map{}), spec_.grants));
    return {spec_.target.read, std::move(write)};
  }

  bool IsOptional() const override { return is_optional_; }

  Status Converge(std::stop_token stop) override {
    // With one write, because the caller's own rights may be among the revoked ones.
    KINETIC_RETURN_IF_ERROR(ReplaceGrants(*api_, spec_.target, spec_.grants, spec_.revoked, stop));
    if (!ReplacesEarlier()) return {};
    return ChangePolicy(*api_, spec_.target, PolicyChange::kRemove, spec_.earlier, std::move(stop));
  }

  std::vector<google::ApiRequest> RemovalRequests() const override {
    return {spec_.target.read, spec_.target.write};
  }

  Result<bool> IsOurs(std::stop_token stop) override {
    KINETIC_ASSIGN_OR_RETURN(const Present present, Count(std::move(stop)));
    return present.grants + present.earlier > 0;
  }

  Status Remove(std::stop_token stop) override {
    std::vector<Grant> all = spec_.grants;
    all.insert(all.end(), spec_.earlier.begin(), spec_.earlier.end());
    auto removed = ChangePolicy(*api_, spec_.target, PolicyChange::kRemove, all, std::move(stop));
    if (!removed && removed.error().code == ErrorCode::kNotFound) return {};
    return removed;
  }

 private:
  /// How many grants exist.
  struct Present {
    std::size_t grants = 0;
    std::size_t earlier = 0;
    bool has_first = false;
  };

  bool ReplacesEarlier() const { return spec_.earlier_warning.empty() && !spec_.earlier.empty(); }

  /// Finds no grants if the resource does not exist.
  Result<Present> Count(std::stop_token stop) const {
    auto policy = api_->Send(spec_.target.read, stop);
    if (policy)
      return Present{CountGrants(*policy, spec_.grants), CountGrants(*policy, spec_.earlier),
                     CountGrants(*policy, {spec_.grants.front()}) > 0};
    if (policy.error().code != ErrorCode::kNotFound)
      KINETIC_RETURN_IF_ERROR(api_->CheckNothingExists(std::move(policy).error(), std::move(stop)));
    return Present{};
  }

  const google::ApiClient* api_;
  AccessSpec spec_;
  bool is_optional_ = false;  ///< found by Read
};

}  // namespace

std::unique_ptr<Resource> MakeAccess(const google::ApiClient& api, AccessSpec spec) {
  return std::make_unique<Access>(api, std::move(spec));
}

}  // namespace kinetic::provision

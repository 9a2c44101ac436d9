#include "provision/resources/access.h"

#include "google/api/client.h"
#include "provision/resources/grants.h"
#include "provision/scope.h"
#include "provision/shutdown/grant.h"
#include "support/fake_clock.h"
#include "support/scripted_transport.h"

#include <gmock/gmock.h>

#include <string>
#include <vector>

namespace kinetic::provision {
namespace {

using testing::ElementsAre;
using testing::HasSubstr;
using testing::IsEmpty;
using testing::Not;

/// Returns a policy with these grants, as a service returns it.
std::string PolicyWith(const std::vector<Grant>& grants) {
  return AddGrants(Value(Value::Map{}), grants).ToJson();
}

std::vector<Grant> Joined(std::vector<Grant> first, const std::vector<Grant>& second) {
  first.insert(first.end(), second.begin(), second.end());
  return first;
}

/// Against the scripted responses of a service with policies.
class Access : public testing::Test {
 protected:
  Result<Observation> Observe(const AccessSpec& access, const std::vector<Grant>& present) {
    transport_.Answer(200, PolicyWith(present));
    return MakeAccess(api_, access)->Read({});
  }

  test::FakeClock clock_;
  test::ScriptedTransport transport_;
  google::ApiClient api_{transport_, clock_};
  const Scope scope_{
      .api = &api_, .project = "p", .project_number = "1", .zone = "us-west4-a", .name = "team"};
  const AccessSpec shutdown_ = ShutdownDeletes(scope_);
  const AccessSpec pods_ = PodsStoreWithEarlier(scope_);
};

TEST_F(Access, GrantsOfEarlierVersionsAreReplaced) {
  const auto both = Joined(shutdown_.grants, shutdown_.earlier);
  EXPECT_EQ(Observe(shutdown_, shutdown_.grants)->action, PlanAction::kKeep);
  EXPECT_EQ(Observe(shutdown_, both)->action, PlanAction::kChange);
  EXPECT_EQ(Observe(shutdown_, shutdown_.earlier)->action, PlanAction::kCreate);
  transport_.Answer(200, PolicyWith(shutdown_.earlier));
  transport_.Answer(200, "{}");
  transport_.Answer(200, PolicyWith(both));
  transport_.Answer(200, "{}");
  EXPECT_TRUE(MakeAccess(api_, shutdown_)->Converge({}));
  const std::string written = transport_.sent().back().body;
  EXPECT_THAT(written, HasSubstr("ns/kinetic-shutdown/sa/team-shutdown"));
  EXPECT_THAT(written, Not(HasSubstr("sa/kinetic-shutdown")));
}

TEST_F(Access, PrefixIsNoLongerTheCondition) {
  Scope scope = scope_;
  scope.name = "kinetic";  // its account has the same name in earlier versions
  const AccessSpec access = ShutdownDeletes(scope);
  ASSERT_EQ(access.earlier.size(), 1U);
  EXPECT_EQ(access.earlier.front().member, access.grants.front().member);
  EXPECT_NE(access.earlier.front().only_if, access.grants.front().only_if);
}

TEST_F(Access, AccountThatProfilesUseIsKeptUntilTheRemoval) {
  const auto both = Joined(pods_.grants, pods_.earlier);
  const auto observed = Observe(pods_, both);
  EXPECT_EQ(observed->action, PlanAction::kKeep);
  EXPECT_THAT(observed->warnings, ElementsAre(HasSubstr("/subject/ns/kinetic/sa/jobs")));
  EXPECT_THAT(Observe(pods_, pods_.grants)->warnings, IsEmpty());
  transport_.Answer(200, PolicyWith(pods_.earlier));
  EXPECT_TRUE(*MakeAccess(api_, pods_)->IsOurs({}));
  transport_.Answer(200, PolicyWith(both));
  transport_.Answer(200, "{}");
  EXPECT_TRUE(MakeAccess(api_, pods_)->Remove({}));
  EXPECT_THAT(transport_.sent().back().body, HasSubstr(R"("bindings":[])"));
}

}  // namespace
}  // namespace kinetic::provision

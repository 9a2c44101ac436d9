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

using testing::AllOf;
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
  ASSERT_EQ(access.earlier.size(), 2U);
  for (const Grant& earlier : access.earlier) {
    EXPECT_EQ(earlier.member, access.grants.front().member);
    EXPECT_NE(earlier.only_if, access.grants.front().only_if);
  }
}

TEST_F(Access, KeepsUnconditionalRoleUntilRemoval) {
  Grant unconditional = shutdown_.grants.front();
  unconditional.only_if.clear();
  const auto both = Joined(shutdown_.grants, {unconditional});
  EXPECT_EQ(Observe(shutdown_, both)->action, PlanAction::kKeep);
  const auto removal = MakeAccess(api_, ShutdownRemoval(scope_));
  transport_.Answer(200, PolicyWith({unconditional}));
  EXPECT_TRUE(*removal->IsOurs({}));
  transport_.Answer(200, PolicyWith(both));
  transport_.Answer(200, "{}");
  EXPECT_TRUE(removal->Remove({}));
  EXPECT_THAT(transport_.sent().back().body, HasSubstr(R"("bindings":[])"));
}

TEST_F(Access, NewGrantIsOptionalForExistingAccess) {
  const AccessSpec nodes = NodesRun(scope_);
  const auto access = MakeAccess(api_, nodes);
  transport_.Answer(200, PolicyWith({nodes.grants.front()}));
  EXPECT_EQ(access->Read({})->action, PlanAction::kCreate);
  EXPECT_TRUE(access->IsOptional());
  transport_.Answer(200, PolicyWith({nodes.grants.back()}));
  EXPECT_EQ(access->Read({})->action, PlanAction::kCreate);
  EXPECT_FALSE(access->IsOptional());
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

TEST_F(Access, NewBucketIsClosedToEditorsAndViewersOfTheProject) {
  const std::vector<Grant> open = {{"roles/storage.legacyBucketOwner", "projectOwner:p"},
                                   {"roles/storage.legacyBucketOwner", "projectEditor:p"},
                                   {"roles/storage.legacyObjectReader", "projectViewer:p"}};
  transport_.Answer(200, PolicyWith(open));
  transport_.Answer(200, "{}");
  EXPECT_TRUE(MakeAccess(api_, pods_)->Converge({}));
  EXPECT_THAT(transport_.sent()[1].body,
              AllOf(HasSubstr("projectOwner:p"), HasSubstr("roles/storage.objectUser"),
                    Not(HasSubstr("projectEditor")), Not(HasSubstr("projectViewer"))));
  // Later changes of others are kept.
  transport_.Answer(200, PolicyWith(Joined(open, pods_.grants)));
  EXPECT_TRUE(MakeAccess(api_, pods_)->Converge({}));
  EXPECT_TRUE(transport_.Done());
}

}  // namespace
}  // namespace kinetic::provision

#include "provision/policy.h"

#include "support/fake_clock.h"
#include "support/scripted_transport.h"

#include <gmock/gmock.h>

namespace kinetic::provision {
namespace {

using testing::HasSubstr;

const std::vector<Grant> kGrants{{"roles/storage.objectUser", "principal://pods"},
                                 {"roles/storage.legacyBucketReader", "principal://pods"}};

Value Parsed(std::string_view json) { return *Value::FromJson(json); }

constexpr const char* kOthers =
    R"({"version":1,"etag":"e1","bindings":[)"
    R"({"role":"roles/owner","members":["user:ana@example.com"]},)"
    R"({"role":"roles/storage.objectUser","members":["user:bo@example.com"],)"
    R"("condition":{"title":"until 2030"}}]})";

TEST(Policy, AddKeepsOtherBindingsConditionsAndEtag) {
  const Value policy = AddGrants(Parsed(kOthers), kGrants);
  EXPECT_EQ(CountGrants(policy, kGrants), 2U);
  const std::string json = policy.ToJson();
  EXPECT_THAT(json, HasSubstr(R"("etag":"e1")"));
  EXPECT_THAT(json, HasSubstr("user:ana@example.com"));
  EXPECT_THAT(json, HasSubstr(R"("members":["user:bo@example.com"],"condition")"));
  EXPECT_THAT(json, HasSubstr(R"("version":3)"));  // others lose conditions
}

TEST(Policy, AddTwiceChangesNothing) {
  const Value once = AddGrants(Parsed(kOthers), kGrants);
  EXPECT_EQ(AddGrants(once, kGrants), once);
}

TEST(Policy, ConditionalBindingIsNoGrant) {
  const std::vector<Grant> grant{{"roles/storage.objectUser", "user:bo@example.com"}};
  EXPECT_EQ(CountGrants(Parsed(kOthers), grant), 0U);
}

TEST(Policy, ConditionIsPartOfTheGrant) {
  const std::vector<Grant> whole{{"roles/storage.objectUser", "principal://ana"}};
  const std::vector<Grant> limited{{.role = "roles/storage.objectUser",
                                    .member = "principal://ana",
                                    .only_if = "resource.name == \"b\"",
                                    .description = "objects of ana"}};
  const Value policy = AddGrants(Parsed(kOthers), limited);
  EXPECT_EQ(CountGrants(policy, limited), 1U);
  EXPECT_EQ(CountGrants(policy, whole), 0U);
  EXPECT_THAT(policy.ToJson(), HasSubstr(R"("title":"objects of ana")"));
  EXPECT_EQ(CountGrants(RemoveGrants(policy, whole), limited), 1U);
  EXPECT_EQ(CountGrants(RemoveGrants(policy, limited), limited), 0U);
}

TEST(Policy, RemoveIsTheInverseOfAdd) {
  Value before = Parsed(kOthers);
  before.Set("version", 3);
  EXPECT_EQ(RemoveGrants(AddGrants(before, kGrants), kGrants), before);
}

class ChangePolicyTest : public testing::Test {
 protected:
  test::FakeClock clock_;
  test::ScriptedTransport transport_;
  google::ApiClient api_{transport_, clock_};
};

TEST_F(ChangePolicyTest, StartsOverAfterAConcurrentChange) {
  transport_.Answer(200, kOthers);
  transport_.Answer(409, R"({"error":{"code":409,"status":"ABORTED","message":"etag mismatch"}})");
  transport_.Answer(200, R"({"etag":"e2"})");
  transport_.Answer(200, "{}");
  ASSERT_TRUE(ChangePolicy(api_, ProjectPolicy("p"), PolicyChange::kAdd, kGrants, {}));
  const auto requests = transport_.sent();
  ASSERT_EQ(requests.size(), 4U);
  EXPECT_THAT(requests[1].body, HasSubstr(R"("etag":"e1")"));
  EXPECT_THAT(requests[3].body, HasSubstr(R"("etag":"e2")"));
  EXPECT_EQ(requests[3].url,
            "https://cloudresourcemanager.googleapis.com/v3/projects/p:setIamPolicy");
}

TEST_F(ChangePolicyTest, SendsNothingIfGrantsExist) {
  transport_.Answer(200, AddGrants(Value(Value::Map{}), kGrants).ToJson());
  ASSERT_TRUE(ChangePolicy(api_, BucketPolicy("b"), PolicyChange::kAdd, kGrants, {}));
  EXPECT_EQ(transport_.sent().size(), 1U);
}

TEST_F(ChangePolicyTest, ReturnsOtherErrors) {
  transport_.Answer(200, "{}");
  transport_.Answer(403, R"({"error":{"code":403,"status":"PERMISSION_DENIED","message":"no"}})");
  const Status status = ChangePolicy(api_, BucketPolicy("b"), PolicyChange::kAdd, kGrants, {});
  ASSERT_FALSE(status);
  EXPECT_EQ(status.error().code, ErrorCode::kPermissionDenied);
  EXPECT_THAT(status.error().hint, HasSubstr("roles/storage.admin"));
}

}  // namespace
}  // namespace kinetic::provision

#include "gcs/bucket.h"
#include "integration/gcs_client_harness.h"

namespace kinetic::test {
namespace {

using gcs_server::FaultKind;

class ClientBucket : public ClientTest {
 protected:
  gcs::Buckets buckets_{*transport_, clock_, Options()};
};

TEST_F(ClientBucket, HasItsSettings) {
  Json("POST", "/storage/v1/b?project=p",
       R"({"name":"kinetic-jobs","location":"us-central1","storageClass":"NEARLINE",
           "softDeletePolicy":{"retentionDurationSeconds":"0"},"lifecycle":{"rule":[
           {"action":{"type":"Delete"},
            "condition":{"daysSinceCustomTime":90,"matchesPrefix":["packs/","trees/"]}},
           {"action":{"type":"Delete"},"condition":{"age":30}}]}})");
  const auto there = buckets_.Get("kinetic-jobs", {});
  ASSERT_TRUE(there && *there);
  EXPECT_EQ((*there)->name, "kinetic-jobs");
  EXPECT_EQ((*there)->storage_class, "NEARLINE");
  EXPECT_EQ((*there)->soft_delete.count(), 0);
  EXPECT_EQ((*there)->metageneration, 1);
  EXPECT_EQ((*there)->lifecycle,
            (std::vector{gcs::DeleteAfterCustomTimeRule(90, {"packs/", "trees/"}),
                         gcs::DeleteAfterAgeRule(30, {})}));
}

TEST_F(ClientBucket, MissingAndForbiddenBucketsDiffer) {
  const auto absent = buckets_.Get("nowhere", {});
  ASSERT_TRUE(absent);
  EXPECT_FALSE(*absent);
  server_->SetAccounts({{"t", "ana@example.org", {}}});
  const auto refused = buckets_.Get("b", {});
  ASSERT_FALSE(refused);
  EXPECT_EQ(refused.error().code, ErrorCode::kUnauthenticated);
}

TEST_F(ClientBucket, KeepsForeignLifecycleRules) {
  Json("PATCH", "/storage/v1/b/b",
       R"({"lifecycle":{"rule":[{"action":{"type":"SetStorageClass","storageClass":"NEARLINE"},
           "condition":{"age":10,"matchesSuffix":[".log"]}}]}})");
  auto seen = buckets_.Get("b", {});
  ASSERT_TRUE(seen && *seen);
  auto rules = (*seen)->lifecycle;
  ASSERT_EQ(rules.size(), 1U);
  rules.push_back(gcs::DeleteAfterCustomTimeRule(90, {"packs/"}));
  const auto changed = buckets_.SetLifecycle(**seen, rules, {});
  ASSERT_TRUE(changed && *changed);
  EXPECT_EQ((*changed)->lifecycle, rules);
  const auto late = buckets_.SetLifecycle(**seen, {}, {});
  ASSERT_TRUE(late) << late.error().message;
  EXPECT_FALSE(*late) << "changed since it was seen";
}

TEST_F(ClientBucket, ReportsSoftDeleteRetention) {
  Json("PATCH", "/storage/v1/b/b", R"({"softDeletePolicy":{"retentionDurationSeconds":"604800"}})");
  auto seen = buckets_.Get("b", {});
  ASSERT_TRUE(seen && *seen);
  EXPECT_EQ((*seen)->soft_delete, std::chrono::hours(24 * 7));
}

TEST_F(ClientBucket, SurvivesEveryFault) {
  int number = 0;
  for (const auto kind : {FaultKind::kLoseReply, FaultKind::kAnswer, FaultKind::kResetBeforeBody,
                          FaultKind::kResetAfterBody, FaultKind::kTruncateReply}) {
    for (std::uint64_t at = 0;; ++at) {
      const std::string name = "bucket" + std::to_string(number++);
      server_->CreateBucket(name);
      const std::uint64_t first = server_->requests();
      server_->faults().Add({.kind = kind, .index = first + at, .at_byte = 0});
      const auto there = buckets_.Get(name, {});
      ASSERT_TRUE(there && *there) << name;
      const auto ruled = buckets_.SetLifecycle(**there, {gcs::DeleteAfterAgeRule(1, {})}, {});
      ASSERT_TRUE(ruled) << ruled.error().message;
      ASSERT_TRUE(*ruled) << "not recognised as ours";
      EXPECT_EQ((*ruled)->lifecycle.size(), 1U);
      if (server_->requests() <= first + at) break;
    }
    server_->faults().Clear();
  }
}

TEST_F(ClientBucket, RequestsNameUserProject) {
  gcs::ClientOptions options = Options();
  options.user_project = "payer";
  const gcs::Client client(*transport_, clock_, "b", options);
  const gcs::Buckets buckets(*transport_, clock_, options);
  std::string bytes;
  const auto each = [](const gcs::Object&) -> Result<bool> { return true; };
  Value changes{Value::Map{}};
  changes.Set("customTime", "2026-11-21T09:00:00Z");
  server_->CreateBucket("other");
  ASSERT_TRUE(client.Insert("small", Body("x"), {}, {}));
  const auto large = client.Insert("large", Body(Pattern(kLargeBytes)), {.if_generation = 0}, {});
  ASSERT_TRUE(large && *large);
  ASSERT_TRUE(client.Read("small", {}, Into(bytes), {}));
  ASSERT_TRUE(client.Stat("small", {}));
  ASSERT_TRUE(client.List({}, each, nullptr, {}));
  ASSERT_TRUE(client.Patch("small", changes, {}, {}));
  ASSERT_TRUE(client.Compose({**large}, "whole", {.if_generation = 0}, {}));
  ASSERT_TRUE(client.Delete("small", {}, {}));
  ASSERT_TRUE(client.DeleteAll({{"large", {}}, {"whole", {}}}, {}));
  ASSERT_TRUE(buckets.Get("b", {}));
  ASSERT_TRUE(buckets.SetLifecycle({.name = "other", .metageneration = 1}, {}, {}));
  int seen = 0;
  for (const auto& request : server_->log().All()) {
    const bool session = request.target.find("upload_id=") != std::string::npos;
    const bool batch = request.target.starts_with("/batch");
    if (session || batch)
      continue;  // the request that starts a session names it; a batch names it in its parts
    ++seen;
    EXPECT_NE(request.target.find("userProject=payer"), std::string::npos) << request.target;
  }
  EXPECT_GT(seen, 9);
}

}  // namespace
}  // namespace kinetic::test

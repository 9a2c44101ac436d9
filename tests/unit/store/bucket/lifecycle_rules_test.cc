#include "gcs/bucket.h"
#include "store/bucket/location.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <string>
#include <vector>

namespace kinetic::store {
namespace {

using gcs::DeleteAfterAgeRule;
using gcs::DeleteAfterCustomTimeRule;
using testing::ElementsAre;

TEST(LifecycleRules, AreOneSetPerBucket) {
  std::vector<Value> rules;
  for (const std::string prefix : {"team/", "a/b/", "", "team/"}) {
    rules = MergeLifecycleRules(rules, prefix);
    EXPECT_EQ(rules.size(), 2U);
    EXPECT_EQ(MergeLifecycleRules(rules, prefix), rules);
  }
  EXPECT_THAT(
      rules,
      ElementsAre(DeleteAfterCustomTimeRule(90, {"a/b/packs/", "a/b/trees/", "packs/",
                                                 "team/packs/", "team/trees/", "trees/"}),
                  DeleteAfterAgeRule(1, {".tmp/parts/", "a/b/.tmp/parts/", "team/.tmp/parts/"})));
}

TEST(LifecycleRules, MergesRulesOfEarlierVersions) {
  const std::vector<Value> earlier{DeleteAfterCustomTimeRule(90, {"x/packs/", "x/trees/"}),
                                   DeleteAfterAgeRule(1, {"x/.tmp/parts/"}),
                                   DeleteAfterCustomTimeRule(90, {"y/packs/", "y/trees/"}),
                                   DeleteAfterAgeRule(1, {"y/.tmp/parts/"})};
  EXPECT_THAT(
      MergeLifecycleRules(earlier, "x/"),
      ElementsAre(DeleteAfterCustomTimeRule(90, {"x/packs/", "x/trees/", "y/packs/", "y/trees/"}),
                  DeleteAfterAgeRule(1, {"x/.tmp/parts/", "y/.tmp/parts/"})));
}

TEST(LifecycleRules, KeepsOtherRules) {
  const std::vector<Value> others{
      DeleteAfterAgeRule(7, {"logs/"}),
      DeleteAfterAgeRule(1, {}),
      DeleteAfterAgeRule(1, {"scratch/"}),
      DeleteAfterCustomTimeRule(30, {"x/packs/", "x/trees/"}),
      DeleteAfterCustomTimeRule(90, {"x/packs/", "photos/"}),
      *Value::FromJson(R"({"action":{"type":"Delete"},"condition":{"daysSinceCustomTime":90,
                          "isLive":false,"matchesPrefix":["x/packs/"]}})"),
      *Value::FromJson(R"({"action":{"type":"SetStorageClass","storageClass":"NEARLINE"},
                          "condition":{"age":1,"matchesPrefix":["x/.tmp/parts/"]}})"),
      Value("damaged")};
  for (const Value& other : others) {
    const auto rules = MergeLifecycleRules({other}, "x/");
    EXPECT_THAT(rules, ElementsAre(other, DeleteAfterCustomTimeRule(90, {"x/packs/", "x/trees/"}),
                                   DeleteAfterAgeRule(1, {"x/.tmp/parts/"})));
  }
}

}  // namespace
}  // namespace kinetic::store

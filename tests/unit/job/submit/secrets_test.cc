#include "job/submit/secrets.h"

#include <gmock/gmock.h>

namespace kinetic::job {
namespace {

using ::testing::HasSubstr;
using ::testing::IsEmpty;
using ::testing::Pair;
using ::testing::UnorderedElementsAre;

const std::map<std::string, std::string> kEnvironment{
    {"KAGGLE_API_TOKEN", "k"}, {"WANDB_API_KEY", "w"}, {"WANDB_HOST", "h"}, {"EMPTY", ""}};

TEST(Secrets, CollectsByNameAndWildcard) {
  EXPECT_THAT(*CollectSecrets({"KAGGLE_API_TOKEN", "WANDB_*"}, kEnvironment),
              UnorderedElementsAre(Pair("KAGGLE_API_TOKEN", "k"), Pair("WANDB_API_KEY", "w"),
                                   Pair("WANDB_HOST", "h")));
  EXPECT_THAT(*CollectSecrets({}, kEnvironment), IsEmpty());
  EXPECT_THAT(*CollectSecrets({"EMPTY"}, kEnvironment), UnorderedElementsAre(Pair("EMPTY", "")));
}

TEST(Secrets, AcceptsWildcardWithoutMatch) {
  EXPECT_THAT(*CollectSecrets({"HF_*"}, kEnvironment), IsEmpty());
}

TEST(Secrets, WildcardSkipsJobVariables) {
  EXPECT_THAT(*CollectSecrets({"WANDB_*"}, kEnvironment, {{"WANDB_HOST", "other"}}),
              UnorderedElementsAre(Pair("WANDB_API_KEY", "w")));
}

TEST(Secrets, ReportsAllUnsetNames) {
  const auto secrets = CollectSecrets({"HF_TOKEN", "EMPTY", "OTHER"}, kEnvironment);
  ASSERT_FALSE(secrets);
  EXPECT_EQ(secrets.error().code, ErrorCode::kInvalidArgument);
  EXPECT_THAT(secrets.error().message, HasSubstr("HF_TOKEN, OTHER"));
}

}  // namespace
}  // namespace kinetic::job

#include "job/submit/prepare.h"

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

/// Names that a job gets from its own machine, with a value that would break it there.
TEST(Secrets, WildcardsSkipNamesOfTheMachine) {
  std::map<std::string, std::string> environment;
  for (const char* name : {"PATH",
                           "HOME",
                           "USER",
                           "LOGNAME",
                           "SHELL",
                           "PWD",
                           "TMPDIR",
                           "LANG",
                           "LC_ALL",
                           "LC_CTYPE",
                           "PYTHONHOME",
                           "PYTHONPATH",
                           "PYTHONSTARTUP",
                           "LD_LIBRARY_PATH",
                           "LD_PRELOAD",
                           "VIRTUAL_ENV",
                           "HTTP_PROXY",
                           "https_proxy",
                           "No_Proxy",
                           "SSL_CERT_FILE",
                           "KINETIC_ACCESS_TOKEN",
                           "KUBERNETES_SERVICE_HOST",
                           "JAX_PLATFORMS",
                           "CUDA_VISIBLE_DEVICES",
                           "TPU_VISIBLE_CHIPS"}) {
    environment.emplace(name, "of the caller");
  }
  for (const auto& [name, value] : environment) {
    for (const std::string& pattern :
         {std::string("*"), name.substr(0, 2) + "*", "?" + name.substr(1)}) {
      EXPECT_THAT(*CollectSecrets({pattern}, environment), IsEmpty()) << pattern;
    }
    EXPECT_THAT(*CollectSecrets({name}, environment), UnorderedElementsAre(Pair(name, value)));
  }
}

TEST(Secrets, RejectsValuesThatAreNotText) {
  for (const char* value : {"\xff", "a\xc3", "\xed\xa0\x80", "ok\x80"}) {
    for (const char* name : {"TOKEN", "TOK*"}) {
      const auto secrets = CollectSecrets({name}, {{"TOKEN", value}});
      ASSERT_FALSE(secrets);
      EXPECT_EQ(secrets.error().code, ErrorCode::kInvalidArgument);
      EXPECT_EQ(secrets.error().message, "secrets: the value of TOKEN is not valid UTF-8");
    }
  }
}

TEST(Secrets, ReportsAllUnsetNames) {
  const auto secrets = CollectSecrets({"HF_TOKEN", "EMPTY", "OTHER"}, kEnvironment);
  ASSERT_FALSE(secrets);
  EXPECT_EQ(secrets.error().code, ErrorCode::kInvalidArgument);
  EXPECT_THAT(secrets.error().message, HasSubstr("HF_TOKEN, OTHER"));
}

TEST(SecretWarnings, NameShortValuesAndPatternsWithoutMatch) {
  const std::vector<std::string> names{"PIN", "API_*", "WAND_*"};
  EXPECT_EQ(SecretWarnings(names, {{"PIN", "123"}, {"API_KEY", "1234"}}),
            (std::vector<std::string>{
                "the secret PIN has fewer than 4 characters: it is not masked in the job's log",
                "secrets: no environment variable matches WAND_*"}));
}

}  // namespace
}  // namespace kinetic::job

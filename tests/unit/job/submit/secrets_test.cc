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
  for (const char* name :
       {"PATH", "HOME", "USER", "LOGNAME", "SHELL", "PWD", "TMPDIR", "LANG", "LC_ALL", "LC_CTYPE",
        "PYTHONHOME", "PYTHONPATH", "PYTHONSTARTUP", "LD_LIBRARY_PATH", "LD_PRELOAD", "VIRTUAL_ENV",
        "HTTP_PROXY", "https_proxy", "No_Proxy", "SSL_CERT_FILE", "KINETIC_ACCESS_TOKEN",
        "KUBERNETES_SERVICE_HOST", "JAX_PLATFORMS", "CUDA_VISIBLE_DEVICES", "TPU_VISIBLE_CHIPS",
        // Each changes what a program of some language or tool runs or trusts.
        "DYLD_INSERT_LIBRARIES", "NODE_OPTIONS", "NODE_EXTRA_CA_CERTS", "BASH_ENV", "ENV", "IFS",
        "BASH_FUNC_ls%%", "PERL5LIB", "PERL5OPT", "RUBYOPT", "RUBYLIB", "GEM_PATH",
        "JAVA_TOOL_OPTIONS", "_JAVA_OPTIONS", "JAVA_HOME", "CLASSPATH", "GIT_SSH_COMMAND",
        "GIT_CONFIG_PARAMETERS", "GIT_EXEC_PATH", "SSL_CERT_DIR", "CURL_CA_BUNDLE",
        "REQUESTS_CA_BUNDLE", "GRPC_TRACE_PATH", "GRPC_DEFAULT_SSL_ROOTS_FILE_PATH",
        "PIP_INDEX_URL", "PIP_TRUSTED_HOST", "UV_INDEX_URL", "npm_config_registry",
        "NODE_TLS_REJECT_UNAUTHORIZED", "GOFLAGS", "GOPROXY", "GONOSUMDB", "CARGO_HOME",
        "RUSTC_WRAPPER", "RUSTFLAGS", "LUA_PATH", "PHPRC", "SSH_ASKPASS", "PROMPT_COMMAND",
        "EDITOR", "GIT_PAGER", "OPENSSL_CONF", "XLA_FLAGS", "all_proxy", "PS4", "CDPATH",
        "ZDOTDIR"}) {
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
  JobSpec spec;
  spec.secrets = {"PIN", "API_*", "WAND_*"};
  EXPECT_EQ(SecretWarnings(spec, {{"PIN", "123"}, {"API_KEY", "1234"}}),
            (std::vector<std::string>{
                "the secret PIN has fewer than 4 characters: it is not masked in the job's log",
                "secrets: no environment variable matches WAND_*"}));
}

TEST(SecretWarnings, NameValuesThatAreStoredWithTheJob) {
  JobSpec spec;
  spec.secrets = {"TOKEN", "OTHER"};
  spec.run = Command{.shell = {}, .argv = {"curl", "-H", "Bearer \"correct\"-horse"}};
  const auto warnings =
      SecretWarnings(spec, {{"TOKEN", "\"correct\"-horse"}, {"OTHER", "battery-staple"}});
  ASSERT_EQ(warnings.size(), 1U);
  EXPECT_TRUE(warnings[0].starts_with("the value of the secret TOKEN is also in the command"));
}

}  // namespace
}  // namespace kinetic::job

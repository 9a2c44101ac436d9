#include "jobspec/schema/variable_names.h"

#include <gtest/gtest.h>

namespace kinetic::jobspec {
namespace {

TEST(LooksSecret, DetectsNamesOfSecrets) {
  for (const char* name :
       {"HF_TOKEN", "KAGGLE_API_TOKEN", "WANDB_API_KEY", "AWS_SECRET_ACCESS_KEY", "PGPASSWORD",
        "DB_PASSWORD_2", "MYSQL_PWD", "GOOGLE_APPLICATION_CREDENTIALS", "client_secret", "ApiKey",
        "SIGNING_KEY", "SSH_PRIVATE_KEY", "PASSWORD", "HFTOKEN", "my.token",
        "OPENAI_API_KEY_PROD"}) {
    EXPECT_TRUE(LooksSecret(name)) << name;
  }
}

TEST(LooksSecret, IgnoresOtherNames) {
  for (const char* name :
       {"TOKENIZERS_PARALLELISM", "MAX_TOKENS", "TOKEN_FILE", "SECRET_PATH", "EOS_TOKEN",
        "PAD_TOKEN", "AWS_ACCESS_KEY_ID", "PWD", "OLDPWD", "KEY", "KEYBOARD", "PRIMARY_KEY", "PATH",
        "", "_", "PASSWORD_LENGTH", "123", "MONKEY"}) {
    EXPECT_FALSE(LooksSecret(name)) << name;
  }
}

}  // namespace
}  // namespace kinetic::jobspec

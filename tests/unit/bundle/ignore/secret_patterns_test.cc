#include "bundle/ignore/rules.h"

#include <gtest/gtest.h>

#include <string>

namespace kinetic::bundle {
namespace {

TEST(SecretPatternsTest, MatchesNamesOfSecrets) {
  for (const auto* path : {".env",
                           "a/.env",
                           ".env.production",
                           "prod.env",
                           "server.pem",
                           "tls/server.KEY",
                           "id_rsa",
                           "id_rsa.old",
                           ".ssh/id_ed25519",
                           "x.p12",
                           "x.pfx",
                           ".netrc",
                           ".npmrc",
                           ".pypirc",
                           "credentials.json",
                           "a/application_default_credentials.json",
                           "service-account-ci.json",
                           "pw.kdbx",
                           ".aws/credentials",
                           "home/.aws/credentials",
                           "kubeconfig",
                           ".kube/config",
                           "kaggle.json",
                           "secrets.yaml"}) {
    EXPECT_TRUE(MatchSecretPattern(path)) << path;
  }
  EXPECT_EQ(MatchSecretPattern("tls/server.key"), "a private key");
}

TEST(SecretPatternsTest, IgnoresHarmlessNames) {
  for (const auto* path :
       {".env.example", "a/.env.sample", "id_rsa.pub", "id_ed25519.pub", "env", "environment.yml",
        "keys.py", "aws/credentials", "config", "kube/config", "account.json", "monkey"}) {
    EXPECT_FALSE(MatchSecretPattern(path)) << path;
  }
}

TEST(SecretPatternsTest, MatchesEveryPattern) {
  for (const auto& [pattern, meaning] : SecretPatterns()) {
    std::string path(pattern);
    for (std::size_t at = path.find('*'); at != std::string::npos; at = path.find('*')) {
      path.replace(at, 1, "q");
    }
    EXPECT_TRUE(MatchSecretPattern(path)) << pattern;
  }
}

}  // namespace
}  // namespace kinetic::bundle

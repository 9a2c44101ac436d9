#include "oci/registry/docker_logins.h"

#include "base/strings.h"
#include "support/temp_tree.h"

#include <gtest/gtest.h>

#include <optional>
#include <string>

namespace kinetic::oci {
namespace {

using kinetic::test::TempTree;

constexpr const char* kPath = "/usr/local/bin:/usr/bin:/bin";

class DockerLoginsTest : public testing::Test {
 protected:
  void WriteConfig(const std::string& text) { tree_.Write("config.json", text); }

  /// Adds a credential helper with a shell script.
  void AddHelper(const std::string& name, const std::string& script) {
    tree_.Write("docker-credential-" + name, "#!/bin/sh\n" + script, 0755);
  }

  Result<std::optional<Login>> Find(const std::string& registry) {
    DockerLogins logins(PosixFileSystem(), tree_ / "config.json",
                        {.search_path = tree_.path().string() + ":" + kPath,
                         .environment = {{"PATH", kPath}},
                         .timeout = std::chrono::milliseconds(2000)});
    return logins.Find(registry, {});
  }

  Login FindExisting(const std::string& registry) {
    const auto login = Find(registry);
    EXPECT_TRUE(login) << login.error().message;
    EXPECT_TRUE(login && *login) << "no login for " << registry;
    return login && *login ? **login : Login{};
  }

  TempTree tree_;
};

TEST_F(DockerLoginsTest, NoneWithoutAFile) {
  const auto login = Find("registry.example");
  ASSERT_TRUE(login) << login.error().message;
  EXPECT_FALSE(*login);
}

TEST_F(DockerLoginsTest, ReadFromTheFile) {
  WriteConfig(R"({"auths":{"registry.example":{"auth":")" + Base64Encode("ana:pass:word") +
              R"("},"https://tokens.example/v1/":{"auth":")" + Base64Encode("ana:") +
              R"(","identitytoken":"idt"},"plain.example:5000":{"username":"bo","password":"pw"},)"
              R"("https://index.docker.io/v1/":{"auth":")" +
              Base64Encode("hub:secret") + R"("}},"HttpHeaders":{}})");
  const Login login = FindExisting("registry.example");
  EXPECT_EQ(login.username, "ana");
  EXPECT_EQ(login.password, "pass:word");
  EXPECT_EQ(login.origin, "the file " + (tree_ / "config.json").string());
  EXPECT_EQ(FindExisting("tokens.example").identity_token, "idt");
  EXPECT_EQ(FindExisting("plain.example:5000").password, "pw");
  EXPECT_EQ(FindExisting("docker.io").username, "hub");
  EXPECT_FALSE(*Find("other.example"));
  EXPECT_FALSE(*Find("plain.example"));
}

TEST_F(DockerLoginsTest, IgnoresKeysWithARepository) {
  WriteConfig(R"({"auths":{"registry.example/team":{"auth":")" + Base64Encode("ana:pw") +
              R"("}}})");
  EXPECT_FALSE(*Find("registry.example"));
}

TEST_F(DockerLoginsTest, RunsTheCredentialHelper) {
  WriteConfig(R"({"credHelpers":{"one.example":"one"},"credsStore":"all"})");
  AddHelper("one", R"(read -r server; test "$1" = get && echo '{"ServerURL":"'$server'",)"
                   R"("Username":"<token>","Secret":"from-'$server'"}')");
  AddHelper("all", R"(read -r server; echo '{"Username":"ana","Secret":"'$server'"}')");
  EXPECT_EQ(FindExisting("one.example").identity_token, "from-one.example");
  EXPECT_EQ(FindExisting("one.example").origin, "the program docker-credential-one");
  EXPECT_EQ(FindExisting("two.example").password, "two.example");
  EXPECT_EQ(FindExisting("docker.io").password, "https://index.docker.io/v1/");
}

TEST_F(DockerLoginsTest, FallsBackToTheFile) {
  WriteConfig(R"({"credsStore":"none","auths":{"registry.example":{"auth":")" +
              Base64Encode("ana:pw") + R"("},"empty.example":{}}})");
  AddHelper("none", "echo 'credentials not found in native keychain'; exit 1\n");
  EXPECT_EQ(FindExisting("registry.example").password, "pw");
  EXPECT_FALSE(*Find("empty.example"));
}

TEST_F(DockerLoginsTest, ErrorsOmitSecrets) {
  const auto error_of = [&](const std::string& config) {
    WriteConfig(config);
    const auto login = Find("registry.example");
    EXPECT_FALSE(login) << config;
    if (login) return std::string();
    EXPECT_EQ(login.error().code, ErrorCode::kFailedPrecondition);
    EXPECT_FALSE(login.error().hint.empty());
    EXPECT_EQ(login.error().message.find("s3cret"), std::string::npos) << login.error().message;
    return login.error().message;
  };
  AddHelper("fails", "echo s3cret; exit 3\n");
  AddHelper("silent", "exit 0\n");
  AddHelper("sleeps", "exec sleep 60\n");
  EXPECT_NE(error_of(R"({"auths": s3cret})").find("not a JSON"), std::string::npos);
  EXPECT_NE(error_of(R"({"credsStore":"absent"})").find("docker-credential-absent"),
            std::string::npos);
  EXPECT_NE(error_of(R"({"credsStore":"fails"})").find("exited with code 3"), std::string::npos);
  EXPECT_NE(error_of(R"({"credsStore":"silent"})").find("no credential"), std::string::npos);
  EXPECT_NE(error_of(R"({"credsStore":"sleeps"})").find("did not exit"), std::string::npos);
  EXPECT_NE(error_of(R"({"credsStore":"../../bin/sh"})").find("not a program name"),
            std::string::npos);
}

}  // namespace
}  // namespace kinetic::oci

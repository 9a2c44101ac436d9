#include "kube/auth/plugin.h"

#include "base/time/clock.h"
#include "support/fake_clock.h"
#include "unit/kube/kubeconfig/fixture.h"

#include <sys/stat.h>

namespace kinetic::test {
namespace {

constexpr const char* kPath = "/usr/local/bin:/usr/bin:/bin";

/// Plugins are shell scripts in a folder of the test's own.
class Plugin : public testing::Test {
 protected:
  void SetUp() override {
    options.search_path = kPath;
    options.environment = {{"PATH", kPath}, {"ACCOUNT", "ana"}};
    entry.api_version = "client.authentication.k8s.io/v1";
    entry.location = {"/home/ana/.kube/config", 7, 5};
  }

  void Script(const std::string& body) {
    entry.command = tree.Write("plugin", "#!/bin/sh\n" + body, 0755).native();
  }

  /// A script that gives token-1, token-2, … until `end`, and keeps count in a file.
  void Counting(const std::string& end) {
    Script("n=$(($(cat '" + (tree / "count").native() + "' 2>/dev/null || echo 0) + 1))\n" +
           "echo $n > '" + (tree / "count").native() + "'\n" +
           R"(printf '{"kind":"ExecCredential","apiVersion":"client.authentication.k8s.io/v1",)" +
           R"("status":{"token":"token-%s")" + end + R"(}}' $n)" + "\n");
  }

  std::unique_ptr<kube::PluginCredentialSource> Source(const Value& cluster = {}) {
    return std::make_unique<kube::PluginCredentialSource>(
        entry, cluster, options,
        kube::PluginCredentialCache(PosixFileSystem(), clock, tree / "cache/credentials"), clock);
  }

  Result<kube::Credential> Fetch(const kube::Credential* refused = nullptr) {
    return Source()->Fetch(refused, {});
  }

  TempTree tree;
  FakeClock clock;
  kube::PluginEntry entry;
  kube::PluginOptions options;
};

TEST_F(Plugin, ReceivesArgumentsEnvironmentAndCluster) {
  entry.arguments = {"one", "two words"};
  entry.environment = {{"ACCOUNT", "ben"}, {"REGION", "eu"}};
  Script("{ echo \"$#|$1|$2|$ACCOUNT|$REGION|$HOME\"; echo \"$KUBERNETES_EXEC_INFO\"; cat; } > '" +
         (tree / "seen").native() + "'; exit 3\n");
  ExpectError(Source(Value(Value::Map{{"server", "https://h"}}))->Fetch(nullptr, {}),
              ErrorCode::kUnauthenticated, "exited with code 3");
  EXPECT_EQ(tree.Read("seen"),
            "2|one|two words|ben|eu|\n"
            R"({"kind":"ExecCredential","apiVersion":"client.authentication.k8s.io/v1",)"
            R"("spec":{"interactive":false,"cluster":{"server":"https://h"}}})"
            "\n");
}

TEST_F(Plugin, TokenIsCachedUntilItExpires) {
  Counting(R"(,"expirationTimestamp":"')" + FormatTime(clock.Now() + std::chrono::minutes(10)) +
           R"('")");
  EXPECT_EQ(Fetch()->authorization, "Bearer token-1");
  EXPECT_EQ(Fetch()->authorization, "Bearer token-1") << "of another process";
  clock.Advance(std::chrono::minutes(10));
  EXPECT_EQ(Fetch()->authorization, "Bearer token-2");
}

TEST_F(Plugin, RunsAgainAfterARejectedToken) {
  Counting(R"(,"expirationTimestamp":"')" + FormatTime(clock.Now() + std::chrono::minutes(10)) +
           R"('")");
  const auto first = Fetch();
  ASSERT_TRUE(first) << first.error().message;
  EXPECT_EQ(Fetch(&*first)->authorization, "Bearer token-2");
  EXPECT_EQ(Fetch(&*first)->authorization, "Bearer token-2") << "another process did it already";
}

TEST_F(Plugin, TokenWithoutExpiryIsNotCached) {
  Counting("");
  const auto source = Source();
  EXPECT_EQ(source->Fetch(nullptr, {})->expiry, WallTime::max());
  EXPECT_FALSE(std::filesystem::exists(tree / "cache"));
}

TEST_F(Plugin, CacheIsReadableByTheOwnerOnly) {
  Counting(R"(,"expirationTimestamp":"2099-01-01T00:00:00Z")");
  ASSERT_TRUE(Fetch());
  struct stat folder = {};
  ASSERT_EQ(::stat((tree / "cache/credentials").c_str(), &folder), 0);
  EXPECT_EQ(folder.st_mode & 0777U, 0700U);
  int files = 0;
  for (const auto& file : std::filesystem::directory_iterator(tree / "cache/credentials")) {
    ++files;
    struct stat status = {};
    ASSERT_EQ(::stat(file.path().c_str(), &status), 0);
    EXPECT_EQ(status.st_mode & 0777U, 0600U);
    std::filesystem::permissions(file.path(), std::filesystem::perms::group_read,
                                 std::filesystem::perm_options::add);
  }
  EXPECT_EQ(files, 1);
  EXPECT_EQ(Fetch()->authorization, "Bearer token-2") << "what others may read is not trusted";
}

TEST_F(Plugin, CacheDependsOnTheAccountButNotTheShell) {
  Counting(R"(,"expirationTimestamp":"2099-01-01T00:00:00Z")");
  EXPECT_EQ(Fetch()->authorization, "Bearer token-1");
  options.environment["SHLVL"] = "7";
  options.environment["SSH_AUTH_SOCK"] = "/tmp/x";
  EXPECT_EQ(Fetch()->authorization, "Bearer token-1");
  options.environment["AWS_PROFILE"] = "other";
  EXPECT_EQ(Fetch()->authorization, "Bearer token-2");
  entry.arguments = {"--cluster", "b"};
  EXPECT_EQ(Fetch()->authorization, "Bearer token-3");
}

TEST_F(Plugin, ExpiredCredentialIsUsedForAMinute) {
  Counting(R"(,"expirationTimestamp":"2001-01-01T00:00:00Z")");
  const auto credential = Fetch();
  ASSERT_TRUE(credential);
  EXPECT_EQ(credential->expiry, clock.Now() + std::chrono::minutes(1));
}

TEST_F(Plugin, IsTerminatedAfterTheTimeout) {
  options.timeout = std::chrono::milliseconds(300);
  Script("echo please visit https://login.example >&2; sleep 1000\n");
  ExpectError(Fetch(), ErrorCode::kUnauthenticated,
              "did not exit within 0 s: please visit https://login.example", "what it waits for");
}

TEST_F(Plugin, StopsOnRequest) {
  std::stop_source source;
  source.request_stop();
  Script("sleep 1000\n");
  const auto credential = Source()->Fetch(nullptr, source.get_token());
  ASSERT_FALSE(credential);
  EXPECT_EQ(credential.error().code, ErrorCode::kCancelled);
}

TEST_F(Plugin, FailureIncludesItsStderr) {
  Script("echo first >&2; echo 'your session has expired' >&2; exit 7\n");
  ExpectError(Fetch(), ErrorCode::kUnauthenticated,
              "plugin exited with code 7: first your session has expired", "log in again");
}

TEST_F(Plugin, RejectsInvalidOutput) {
  Script("echo Hello\n");
  ExpectError(Fetch(), ErrorCode::kUnauthenticated, "did not print JSON");
  Script("exit 0\n");
  ExpectError(Fetch(), ErrorCode::kUnauthenticated, "printed nothing");
  Script("head -c 6000000 /dev/zero\n");
  ExpectError(Fetch(), ErrorCode::kUnauthenticated, "printed more than 4 MiB");
}

TEST_F(Plugin, MissingPluginIsReportedWithItsInstallHint) {
  entry.command = "kinetic-no-such-plugin";
  ExpectError(Fetch(), ErrorCode::kFailedPrecondition,
              "/home/ana/.kube/config:7:5: the credential plugin kinetic-no-such-plugin cannot be "
              "run: the program kinetic-no-such-plugin is not installed",
              "install it");
  entry.install_hint = "\nget it from https://vendor.example\n";
  ExpectError(Fetch(), ErrorCode::kFailedPrecondition, "cannot be run",
              "get it from https://vendor.example");
  entry.command = tree.Write("plain", "x", 0644).native();
  ExpectError(Fetch(), ErrorCode::kFailedPrecondition, "cannot be run");
}

TEST_F(Plugin, RequiresATerminalIfInteractive) {
  entry.interactive = kube::InteractiveMode::kAlways;
  Script("exit 0\n");
  ExpectError(Fetch(), ErrorCode::kFailedPrecondition, "requires a terminal", "in a terminal");
}

}  // namespace
}  // namespace kinetic::test

#include "env/dockerfile/container_engine.h"

#include "env/dockerfile/engine_logins.h"
#include "support/temp_tree.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <functional>
#include <map>
#include <optional>
#include <stop_token>
#include <string>
#include <tuple>
#include <utility>
#include <vector>

namespace kinetic::env {
namespace {

using ::testing::AllOf;
using ::testing::Contains;
using ::testing::ElementsAre;
using ::testing::HasSubstr;
using ::testing::IsEmpty;
using ::testing::Not;

class EngineObserver final : public Observer {
 public:
  void OnOutput(Phase phase, std::string_view line) override {
    EXPECT_EQ(phase, Phase::kBuild);
    lines.emplace_back(line);
    if (on_line) on_line();
  }
  std::vector<std::string> lines;
  std::function<void()> on_line;
};

class FixedLogins final : public oci::LoginSource {
 public:
  Result<std::optional<oci::Login>> Find(const std::string& registry, std::stop_token) override {
    const auto found = all.find(registry);
    if (found == all.end()) return std::optional<oci::Login>();
    return found->second;
  }
  std::string Locations() const override { return "nowhere"; }
  Logins all;
};

/// Scripts with the names of engines that record their arguments.
class ContainerEngineTest : public ::testing::Test {
 protected:
  ContainerEngineTest() {
    order_.context = files_.MakeFolder("context");
    order_.dockerfile = files_.Write("context/Dockerfile", "FROM scratch\n");
    order_.reference = "team.example/environments:cpu-1";
    order_.platform = "linux/amd64";
    order_.pulled_from = {"docker.io"};
  }

  /// Writes a program that records its arguments by line and then runs `script`.
  void Install(const std::string& name, const std::string& script) {
    files_.Write("bin/" + name,
                 "#!/bin/sh\nfor word in \"$0\" \"$@\"; do echo \"$word\" >> '" +
                     (files_ / "calls").native() + "'; done\n" + script,
                 0755);
  }

  Status Build(std::stop_token stop = {}) {
    return MakeContainerEngine(
               {.tools = {.cache_dir = files_ / "cache",
                          .search_path = (files_ / "bin").native() + ":/usr/bin:/bin",
                          .environment = environment_},
                .engine = engine_,
                .logins = logins_,
                .docker_config = files_ / "docker/config.json"})
        ->Build(order_, &listener_, std::move(stop));
  }

  /// Returns the remaining files in a folder of the cache.
  std::vector<std::string> Left(std::string_view part) const {
    std::vector<std::string> names;
    const auto entries = PosixFileSystem().ReadDirectory(files_ / "cache" / part);
    if (!entries) return names;
    for (const auto& entry : *entries) {
      if (entry.name != ".lock") names.push_back(entry.name);
    }
    return names;
  }

  test::TempTree files_;
  std::map<std::string, std::string> environment_{{"HOME", files_.path().native()}};
  FixedLogins logins_;
  EngineObserver listener_;
  ImageBuildRequest order_;
  ContainerEngine engine_ = ContainerEngine::kAuto;
};

/// Copies the login file and records its mode.
constexpr std::string_view kKeepFiles = R"sh(
here=$(dirname "$0")/..
next=
for word in "$@"; do
  case $next in
    --authfile) cp "$word" "$here/logins"; stat -c %a "$word" "$(dirname "$word")" > "$here/mode" ;;
  esac
  next=$word
done
if [ -n "$DOCKER_CONFIG" ]; then
  cp "$DOCKER_CONFIG/config.json" "$here/logins"
  cat "$DOCKER_CONFIG/contexts/one" > "$here/linked"
fi
echo "$DOCKER_BUILDKIT" > "$here/buildkit"
)sh";

TEST_F(ContainerEngineTest, PassesLoginsToBuildahInTemporaryFile) {
  Install("buildah", std::string(kKeepFiles));
  logins_.all["team.example"] = {.username = "ana", .password = "s3cret-login"};
  ASSERT_TRUE(Build());
  EXPECT_EQ(files_.Read("mode"), "600\n700\n");
  EXPECT_EQ(files_.Read("logins"),
            R"({"auths":{"team.example":{"auth":"YW5hOnMzY3JldC1sb2dpbg=="}}})");
  const std::string calls = files_.Read("calls");
  EXPECT_THAT(calls, AllOf(HasSubstr("\nbuild\n--file\n" + order_.dockerfile.native() +
                                     "\n--tag\nteam.example/environments:cpu-1\n"
                                     "--platform\nlinux/amd64\n"),
                           HasSubstr("\npush\n--authfile\n"),
                           HasSubstr("\ndocker://team.example/environments:cpu-1\n")));
  EXPECT_THAT(calls, HasSubstr("\n--layers=true\n"));
  EXPECT_THAT(calls, AllOf(Not(HasSubstr("s3cret")), Not(HasSubstr("YW5hOnMz")),
                           Not(HasSubstr("--tls-verify"))));
  EXPECT_THAT(Left("secrets"), IsEmpty());
  EXPECT_THAT(Left("logs"), IsEmpty());
}

TEST_F(ContainerEngineTest, MergesLoginsIntoDockerConfig) {
  engine_ = ContainerEngine::kDocker;
  Install("docker", std::string(kKeepFiles));
  files_.Write("docker/config.json", R"({"credsStore":"desktop","auths":{"other.example":{}}})");
  files_.Write("docker/contexts/one", "a context");
  logins_.all["team.example"] = {.username = "ana", .password = "s3cret-login"};
  order_.plain = true;
  ASSERT_TRUE(Build());
  const std::string logins = files_.Read("logins");
  EXPECT_THAT(logins,
              AllOf(HasSubstr(R"("team.example":{"auth":"YW5hOnMzY3JldC1sb2dpbg=="})"),
                    HasSubstr(R"("other.example":{})"), HasSubstr(R"("credsStore":"desktop")"),
                    HasSubstr(R"("credHelpers":{"team.example":""})")));
  EXPECT_EQ(files_.Read("linked"), "a context");
  EXPECT_EQ(files_.Read("docker/contexts/one"), "a context")
      << "links must not be followed on removal";
  EXPECT_EQ(files_.Read("buildkit"), "1\n");
  EXPECT_THAT(files_.Read("calls"), AllOf(HasSubstr("--progress=plain"),
                                          HasSubstr("\npush\nteam.example/environments:cpu-1\n"),
                                          Not(HasSubstr("--tls-verify")),
                                          Not(HasSubstr("--authfile")), Not(HasSubstr("s3cret"))));
  EXPECT_THAT(Left("secrets"), IsEmpty());
}

TEST_F(ContainerEngineTest, InvalidDockerConfigIsNotQuoted) {
  engine_ = ContainerEngine::kDocker;
  Install("docker", "");
  files_.Write("docker/config.json", R"({"auths": s3cret)");
  logins_.all["team.example"] = {.username = "ana", .password = "p"};
  const Status made = Build();
  ASSERT_FALSE(made);
  EXPECT_EQ(made.error().code, ErrorCode::kFailedPrecondition);
  EXPECT_THAT(made.error().message,
              AllOf(HasSubstr("docker/config.json"), Not(HasSubstr("s3cret"))));
}

TEST_F(ContainerEngineTest, DisablesTlsOnlyForPlainRegistries) {
  engine_ = ContainerEngine::kPodman;
  Install("podman", "");
  order_.reference = "localhost:5000/environments:cpu-1";
  ASSERT_TRUE(Build());
  const std::string calls = files_.Read("calls");
  const std::size_t push = calls.find("\npush\n");
  EXPECT_THAT(calls.substr(0, push), Not(HasSubstr("--tls-verify"))) << "the base is at docker.io";
  EXPECT_THAT(calls.substr(push), HasSubstr("\n--tls-verify=false\n"));
  order_.pulled_from = {"localhost:5000"};
  ASSERT_TRUE(Build());
  EXPECT_THAT(files_.Read("calls").substr(calls.size()), HasSubstr("\n--tls-verify=false\n"));
}

TEST_F(ContainerEngineTest, BuildahUsesChrootUnlessIsolationIsSet) {
  Install("buildah", "echo \"isolation: $BUILDAH_ISOLATION\"\n");
  ASSERT_TRUE(Build());
  EXPECT_THAT(listener_.lines, Contains("isolation: chroot"));
  environment_["BUILDAH_ISOLATION"] = "oci";
  ASSERT_TRUE(Build());
  EXPECT_THAT(listener_.lines, Contains("isolation: oci"));
}

TEST_F(ContainerEngineTest, PassesLabelsAsArguments) {
  Install("buildah", "");
  order_.labels = {{"a", "b c"}};
  ASSERT_TRUE(Build());
  EXPECT_THAT(files_.Read("calls"), HasSubstr("\n--label\na=b c\n"));
}

TEST_F(ContainerEngineTest, PrefersFirstInstalledUnlessNamed) {
  for (const char* const name : {"buildah", "docker", "podman"}) Install(name, "");
  ASSERT_TRUE(Build());
  EXPECT_THAT(files_.Read("calls"), HasSubstr("bin/buildah\n"));
  engine_ = ContainerEngine::kPodman;
  ASSERT_TRUE(Build());
  EXPECT_THAT(files_.Read("calls"), HasSubstr("bin/podman\n"));
}

TEST_F(ContainerEngineTest, RetriesWithoutCacheForBaseWithoutHistory) {
  Install("buildah",
          "case \"$*\" in *--layers=true*) echo 'internal error: history lists 1' >&2; exit 1;; "
          "esac\n");
  ASSERT_TRUE(Build());
  EXPECT_THAT(files_.Read("calls"), HasSubstr("\n--layers=false\n"));
}

TEST(FindEngineTest, ErrorNamesEnginesAndAlternative) {
  const auto all = FindEngine(ContainerEngine::kAuto, "/nowhere");
  ASSERT_FALSE(all);
  EXPECT_EQ(all.error().code, ErrorCode::kFailedPrecondition);
  EXPECT_THAT(all.error().message, HasSubstr("buildah, podman, docker"));
  EXPECT_THAT(all.error().hint, HasSubstr("container_engine=cloud-build"));
  const auto one = FindEngine(ContainerEngine::kDocker, "/nowhere");
  ASSERT_FALSE(one);
  EXPECT_THAT(one.error().message, AllOf(HasSubstr("docker"), Not(HasSubstr("buildah"))));
}

TEST_F(ContainerEngineTest, ForwardsOutputByLine) {
  Install("buildah", "echo \"one $1\"\necho two >&2\n");
  ASSERT_TRUE(Build());
  EXPECT_THAT(listener_.lines, Contains("one build"));
  EXPECT_THAT(listener_.lines, Contains("two"));
}

TEST_F(ContainerEngineTest, FailureHasLastLinesAndLogPath) {
  Install("buildah", "seq 1 40\necho 'the step failed'\nexit 7\n");
  const Status made = Build();
  ASSERT_FALSE(made);
  EXPECT_EQ(made.error().code, ErrorCode::kFailedPrecondition);
  EXPECT_THAT(made.error().message,
              AllOf(HasSubstr("building team.example/environments:cpu-1"), HasSubstr("buildah"),
                    HasSubstr("code 7"), HasSubstr("\n  40\n  the step failed"),
                    Not(HasSubstr("\n  12\n"))));
  const auto logs = Left("logs");
  ASSERT_EQ(logs.size(), 1U);
  EXPECT_THAT(made.error().hint, HasSubstr(logs.front()));
  EXPECT_THAT(files_.Read("cache/logs/" + logs.front()), HasSubstr("1\n2\n3\n"));
  EXPECT_THAT(Left("secrets"), IsEmpty());
}

TEST_F(ContainerEngineTest, ExplainsRegistryErrors) {
  const std::vector<std::tuple<std::string, ErrorCode, std::string>> all = {
      {"server gave HTTP response to HTTPS client", ErrorCode::kFailedPrecondition,
       "plain_registries"},
      {"unauthorized: authentication required", ErrorCode::kUnauthenticated, "docker login"},
      {"denied: requested access to the resource is denied", ErrorCode::kPermissionDenied,
       "allowed to push"},
      {"dial tcp 127.0.0.1:1: connect: connection refused", ErrorCode::kUnavailable,
       "did not respond"},
      {"write: No space left on device", ErrorCode::kResourceExhausted, "disk space"}};
  for (const auto& [said, code, advice] : all) {
    Install("buildah", "[ $1 = build ] || { echo '" + said + "' >&2; exit 125; }\n");
    const Status made = Build();
    ASSERT_FALSE(made);
    EXPECT_EQ(made.error().code, code) << said;
    EXPECT_THAT(made.error().message, AllOf(HasSubstr("pushing"), HasSubstr(said)));
    EXPECT_THAT(made.error().hint, HasSubstr(advice));
  }
}

TEST_F(ContainerEngineTest, StopTerminatesEngine) {
  Install("buildah", "echo begun\nexec sleep 600\n");
  std::stop_source stop;
  listener_.on_line = [&] { stop.request_stop(); };
  const Status made = Build(stop.get_token());
  ASSERT_FALSE(made);
  EXPECT_EQ(made.error().code, ErrorCode::kCancelled);
  EXPECT_THAT(files_.Read("calls"), Not(HasSubstr("push")));
  EXPECT_THAT(Left("secrets"), IsEmpty());
  EXPECT_THAT(Left("logs"), IsEmpty());
}

TEST_F(ContainerEngineTest, RemovesLoginsOfKilledClients) {
  Install("buildah", "");
  files_.Write("cache/secrets/of-dead/auth.json", "s3cret");
  const auto alive = SecretFolder::Create({.cache_dir = files_ / "cache"}, {});
  ASSERT_TRUE(alive);
  ASSERT_TRUE(Build());
  EXPECT_THAT(Left("secrets"), ElementsAre(alive->path().filename().native()));
}

}  // namespace
}  // namespace kinetic::env

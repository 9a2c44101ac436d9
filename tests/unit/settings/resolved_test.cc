#include "settings/resolved.h"

#include "settings/check_value.h"
#include "settings/client_options.h"
#include "support/temp_tree.h"

#include <fmt/format.h>
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <chrono>
#include <filesystem>
#include <set>
#include <tuple>

namespace kinetic::settings {
namespace {

using ::testing::HasSubstr;

ProcessEnvironment Somewhere() {
  ProcessEnvironment process;
  process.directory = "/work/project";
  process.executable = "/opt/kinetic/bin/kinetic";
  process.home = "/home/ana";
  process.user = "ana";
  process.host = "laptop";
  return process;
}

ConfigFile Config(std::string_view text) {
  auto parsed = ParseConfig(text, "/home/ana/.config/kinetic/config.yaml");
  EXPECT_TRUE(parsed) << parsed.error().message;
  return *parsed;
}

constexpr std::string_view kFast =
    "target: fast\n"
    "profiles:\n"
    "  fast: {store: /data/fast, color: never, concurrency: 4}\n"
    "  slow: {store: stores/slow, cache_dir: ~/caches}\n";

TEST(SettingsTable, RowsAreInOrderAndComplete) {
  std::set<std::string_view> seen;
  std::size_t index = 0;
  for (const SettingInfo& row : SettingsTable()) {
    EXPECT_EQ(static_cast<std::size_t>(row.id), index++);
    for (const std::string_view name : {row.name, row.flag, row.variable})
      EXPECT_TRUE(name.empty() || seen.insert(name).second) << name;
    EXPECT_TRUE(row.flag.empty() || row.flag.starts_with("--"));
    EXPECT_TRUE(row.type != SettingType::kSecret || (row.flag.empty() && !row.in_profile));
    EXPECT_TRUE(row.variable.starts_with("KINETIC_"));
    EXPECT_FALSE(row.doc.empty());
    EXPECT_EQ(row.type == SettingType::kChoice, !row.choices.empty());
    EXPECT_EQ(FindSetting(row.name), &row);
  }
}

TEST(Settings, HaveDefaults) {
  const auto settings = Resolve({}, Somewhere(), {});
  ASSERT_TRUE(settings);
  EXPECT_EQ(settings->Text(SettingId::kTarget), "local");
  EXPECT_EQ(settings->Text(SettingId::kStore), "/home/ana/.local/share/kinetic/store");
  EXPECT_EQ(settings->Text(SettingId::kStateDir), "/home/ana/.local/state/kinetic");
  EXPECT_EQ(settings->Text(SettingId::kCacheDir), "/home/ana/.cache/kinetic");
  EXPECT_EQ(settings->Text(SettingId::kOwner), "ana@laptop");
  EXPECT_EQ(settings->Text(SettingId::kRunner), "/opt/kinetic/bin/kinetic-runner");
  EXPECT_EQ(settings->Text(SettingId::kPython), "");
  EXPECT_EQ(settings->Get(SettingId::kStore).origin, Origin::kDefault);
}

TEST(Settings, RunnerIsThatOfTheCommandOnPath) {
  const test::TempTree tree;
  ProcessEnvironment process = Somewhere();
  process.executable = tree.path() / "app/bin/simulate";
  tree.MakeFolder("checkout/kinetic");  // a folder is not a command
  tree.Write("bin/kinetic", "", 0755);
  const std::filesystem::path runner = tree.Write("libexec/kinetic/kinetic-runner", "");
  process.variables["PATH"] = fmt::format("relative:{0}/checkout:{0}/bin", tree.path().native());
  EXPECT_EQ(Resolve({}, process, {})->Text(SettingId::kRunner), runner.native());
  // A runner next to the program takes precedence.
  const std::filesystem::path own = tree.Write("app/bin/kinetic-runner", "");
  EXPECT_EQ(Resolve({}, process, {})->Text(SettingId::kRunner), own.native());
}

TEST(Settings, FollowTheXdgVariablesUnlessTheyAreRelative) {
  ProcessEnvironment process = Somewhere();
  process.variables = {{"XDG_DATA_HOME", "/xdg/data"}, {"XDG_CACHE_HOME", "relative"}};
  const auto settings = Resolve({}, process, {});
  EXPECT_EQ(settings->Text(SettingId::kStore), "/xdg/data/kinetic/store");
  EXPECT_EQ(settings->Text(SettingId::kCacheDir), "/home/ana/.cache/kinetic");
}

TEST(Settings, AnOptionWinsOverTheVariableOverTheProfile) {
  ProcessEnvironment process = Somewhere();
  const ConfigFile config = Config(kFast);
  auto settings = Resolve({}, process, config);
  EXPECT_EQ(settings->Text(SettingId::kStore), "/data/fast");
  EXPECT_EQ(settings->Get(SettingId::kStore).origin, Origin::kProfile);
  EXPECT_EQ(settings->Get(SettingId::kStore).source, "/home/ana/.config/kinetic/config.yaml:3:17");

  process.variables["KINETIC_STORE"] = "from-variable";
  settings = Resolve({}, process, config);
  EXPECT_EQ(settings->Text(SettingId::kStore), "/work/project/from-variable");
  EXPECT_EQ(settings->Get(SettingId::kStore).source, "KINETIC_STORE");

  settings = Resolve({{SettingId::kStore, "../from-option/"}}, process, config);
  EXPECT_EQ(settings->Path(SettingId::kStore), "/work/from-option/");
  EXPECT_EQ(settings->Get(SettingId::kStore).origin, Origin::kFlag);
}

TEST(Settings, AnEmptyVariableIsNotSet) {
  ProcessEnvironment process = Somewhere();
  process.variables["KINETIC_STORE"] = "";
  EXPECT_EQ(Resolve({}, process, {})->Get(SettingId::kStore).origin, Origin::kDefault);
}

TEST(Settings, PathsOfAProfileStartFromItsFile) {
  const auto settings = Resolve({{SettingId::kTarget, "slow"}}, Somewhere(), Config(kFast));
  EXPECT_EQ(settings->Text(SettingId::kStore), "/home/ana/.config/kinetic/stores/slow");
  EXPECT_EQ(settings->Text(SettingId::kCacheDir), "/home/ana/caches");
}

TEST(Settings, TheTargetIsTheOptionsThenTheJobsThenTheVariablesThenTheFiles) {
  ProcessEnvironment process = Somewhere();
  const ConfigFile config = Config(kFast);
  EXPECT_EQ(Resolve({}, process, config)->Text(SettingId::kTarget), "fast");
  process.variables["KINETIC_TARGET"] = "slow";
  EXPECT_EQ(Resolve({}, process, config)->Text(SettingId::kTarget), "slow");
  const JobTarget local{"local", "job.yaml:1:1: target"};
  EXPECT_EQ(Resolve({}, process, config, local)->Text(SettingId::kTarget), "local");
  EXPECT_EQ(Resolve({}, process, config, local)->Get(SettingId::kTarget).origin, Origin::kJobFile);
  EXPECT_EQ(
      Resolve({{SettingId::kTarget, "fast"}}, process, config, local)->Text(SettingId::kTarget),
      "fast");
}

TEST(Settings, AnUnknownProfileOfAJobIsToldWithItsPlace) {
  const auto settings = Resolve({}, Somewhere(), Config(kFast), {"fats", "job.yaml:1:1: target"});
  ASSERT_FALSE(settings);
  EXPECT_EQ(settings.error().message, "job.yaml:1:1: target: no profile 'fats'");
}

TEST(Settings, AnUnknownProfileIsNamedWithTheNearest) {
  const auto settings = Resolve({{SettingId::kTarget, "fats"}}, Somewhere(), Config(kFast));
  ASSERT_FALSE(settings);
  EXPECT_EQ(settings.error().code, ErrorCode::kNotFound);
  EXPECT_EQ(settings.error().message, "--target: no profile 'fats'");
  EXPECT_EQ(settings.error().hint, "did you mean 'fast'?");
  const auto other = Resolve({{SettingId::kTarget, "tpu"}}, Somewhere(), Config(kFast));
  EXPECT_EQ(other.error().hint, "the profiles are: local, fast, slow");
}

TEST(Settings, WrongValuesNameTheirSource) {
  ProcessEnvironment process = Somewhere();
  process.variables["KINETIC_COLOR"] = "yes";
  EXPECT_EQ(Resolve({}, process, {}).error().message,
            "KINETIC_COLOR: expected one of auto, always, never; found 'yes'");
  EXPECT_THAT(Resolve({{SettingId::kConcurrency, "-1"}}, Somewhere(), {}).error().message,
              HasSubstr("--concurrency: expected a whole number"));
  EXPECT_THAT(Resolve({{SettingId::kStore, ""}}, Somewhere(), {}).error().message,
              HasSubstr("--store: expected a value"));
}

TEST(Settings, ABrokenFileStillLeavesOptionsAndVariables) {
  ProcessEnvironment process = Somewhere();
  process.variables["KINETIC_COLOR"] = "never";
  EXPECT_EQ(ResolveWithoutProfile(SettingId::kColor, {}, process).text, "never");
  EXPECT_EQ(ResolveWithoutProfile(SettingId::kColor, {{SettingId::kColor, "always"}}, process).text,
            "always");
}

TEST(Settings, FindTheKubeconfigsThatKubectlFinds) {
  ProcessEnvironment process = Somewhere();
  EXPECT_EQ(Resolve({}, process, {})->Text(SettingId::kKubeconfig), "/home/ana/.kube/config");
  process.variables["KUBECONFIG"] = "one:/etc/two::~/three";
  EXPECT_EQ(Resolve({}, process, {})->Text(SettingId::kKubeconfig),
            "/work/project/one:/etc/two:/home/ana/three");
  const ConfigFile config =
      Config("target: a\nprofiles:\n  a: {kind: kubernetes, kubeconfig: 'x:~/y'}\n");
  const auto settings = Resolve({}, process, config);
  ASSERT_TRUE(settings) << settings.error().message;
  EXPECT_EQ(settings->Text(SettingId::kKubeconfig), "/home/ana/.config/kinetic/x:/home/ana/y");
  EXPECT_EQ(settings->Text(SettingId::kKind), "kubernetes");
}

TEST(Settings, SayWhichClusterIsMeant) {
  const ConfigFile config = Config(
      "target: a\nprofiles:\n  a: {kind: gke, project: p, location: l, cluster: c, "
      "cluster_endpoint: "
      "private, namespace: ml, runner_credentials: 'secret:key', runner_endpoint: 'http://s:1'}\n");
  const auto settings = Resolve({}, Somewhere(), config);
  ASSERT_TRUE(settings) << settings.error().message;
  EXPECT_EQ(TargetKindOf(*settings), TargetKind::kGke);
  const ClusterProfile profile = ClusterProfileOf(*settings, Somewhere());
  EXPECT_EQ(profile.project + profile.location + profile.cluster, "plc");
  EXPECT_TRUE(profile.private_endpoint);
  EXPECT_FALSE(profile.dns_endpoint);
  EXPECT_FALSE(profile.in_cluster);
  EXPECT_EQ(profile.name_space, "ml");
  EXPECT_EQ(profile.runner_credentials, "secret:key");
  EXPECT_EQ(profile.runner_endpoint, "http://s:1");
}

TEST(Settings, SayHowCloudBuildBuildsImages) {
  const ConfigFile config = Config(
      "target: a\nprofiles:\n  a: {kind: kubernetes, project: p, container_engine: cloud-build, "
      "build_region: europe-west4, build_machine: e2-highcpu-8, build_timeout: 90m, "
      "build_service_account: builds@p.iam.gserviceaccount.com, build_endpoint: 'localhost:1/'}\n");
  const auto settings = Resolve({}, Somewhere(), config);
  ASSERT_TRUE(settings) << settings.error().message;
  const ClusterProfile profile = ClusterProfileOf(*settings, Somewhere());
  EXPECT_EQ(profile.container_engine, ContainerEngine::kCloudBuild);
  EXPECT_EQ(profile.project, "p");
  EXPECT_EQ(profile.cloud_build.region, "europe-west4");
  EXPECT_EQ(profile.cloud_build.machine, "e2-highcpu-8");
  EXPECT_EQ(profile.cloud_build.timeout, std::chrono::minutes(90));
  EXPECT_EQ(profile.cloud_build.service_account, "builds@p.iam.gserviceaccount.com");
  EXPECT_EQ(profile.cloud_build.endpoint, "http://localhost:1");
}

TEST(Settings, SayWhetherANodeIsAskedForAhead) {
  const auto wanted = [](const std::string& line) {
    const auto settings = Resolve(
        {}, Somewhere(), Config("target: a\nprofiles:\n  a: {kind: kubernetes" + line + "}\n"));
    EXPECT_TRUE(settings);
    return ClusterProfileOf(*settings, Somewhere()).node_ahead;
  };
  EXPECT_TRUE(wanted(""));
  EXPECT_TRUE(wanted(", node_ahead: yes"));
  EXPECT_FALSE(wanted(", node_ahead: no"));
}

TEST(Settings, SayWhatBuildsDockerfiles) {
  for (const auto& [name, engine] : {std::pair{"auto", ContainerEngine::kAuto},
                                     {"buildah", ContainerEngine::kBuildah},
                                     {"podman", ContainerEngine::kPodman},
                                     {"docker", ContainerEngine::kDocker},
                                     {"cloud-build", ContainerEngine::kCloudBuild}}) {
    const ConfigFile config = Config(
        "target: a\nprofiles:\n  a: {kind: kubernetes, container_engine: " + std::string(name) +
        "}\n");
    const auto settings = Resolve({}, Somewhere(), config);
    ASSERT_TRUE(settings) << settings.error().message;
    const ClusterProfile profile = ClusterProfileOf(*settings, Somewhere());
    EXPECT_EQ(profile.environments, EnvironmentForm::kAuto);
    EXPECT_EQ(profile.container_engine, engine);
  }
}

TEST(Settings, SayHowJobsGetTheirPackages) {
  for (const auto& [name, form] : {std::pair{"auto", EnvironmentForm::kAuto},
                                   {"archives", EnvironmentForm::kArchives},
                                   {"layers", EnvironmentForm::kLayers}}) {
    const ConfigFile config = Config(
        "target: a\nprofiles:\n  a: {kind: kubernetes, environments: " + std::string(name) + "}\n");
    const auto settings = Resolve({}, Somewhere(), config);
    ASSERT_TRUE(settings) << settings.error().message;
    EXPECT_EQ(ClusterProfileOf(*settings, Somewhere()).environments, form);
  }
}

TEST(Settings, RefuseWhatCloudBuildWouldNotTake) {
  for (const auto& [key, value, words] :
       {std::tuple{"build_timeout", "0", "1 to 1440 minutes"},
        {"build_timeout", "1441m", "1 to 1440 minutes"},
        {"build_timeout", "60", "expected a duration"},
        {"build_machine", "e2-highcpu-9", "e2-highcpu-8"},
        {"build_region", "Europe", "a region"},
        {"build_service_account", "builds", "an email address"}}) {
    const auto checked = CheckSetting(*FindSetting(key), "it", value);
    ASSERT_FALSE(checked) << key << value;
    EXPECT_THAT(checked.error().message, HasSubstr(words));
  }
}

TEST(Settings, OptionsWithoutEffectAreRefused) {
  const auto local = Resolve({{SettingId::kContext, "x"}}, Somewhere(), {});
  ASSERT_TRUE(local);
  const auto refused = CheckOptionsApply(*local);
  ASSERT_FALSE(refused);
  EXPECT_THAT(refused.error().message,
              HasSubstr("--context has no effect on target local, which is of kind local"));
  ProcessEnvironment process = Somewhere();
  process.variables["KINETIC_CONTEXT"] = "x";
  EXPECT_TRUE(CheckOptionsApply(*Resolve({}, process, {}))) << "it is there for other targets";
}

TEST(SettingsDocument, HasEachRow) {
  const std::string document = SettingsDocument();
  for (const SettingInfo& row : SettingsTable())
    EXPECT_THAT(document, HasSubstr(std::string(row.variable)));
}

}  // namespace
}  // namespace kinetic::settings

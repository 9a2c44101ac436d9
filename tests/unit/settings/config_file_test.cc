#include "settings/sources.h"
#include "support/temp_tree.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <sys/stat.h>

#include <fstream>
#include <thread>

namespace kinetic::settings {
namespace {

using ::testing::HasSubstr;

std::string Message(std::string_view text) {
  const auto parsed = ParseConfig(text, "c.yaml");
  return parsed ? "no error" : parsed.error().message + " | " + parsed.error().hint;
}

TEST(ConfigFile, ReadsProfiles) {
  const auto config = ParseConfig(
      "target: fast\nprofiles:\n  fast:\n    kind: local\n    store: /data\n  bare:\n", "c.yaml");
  ASSERT_TRUE(config) << config.error().message;
  EXPECT_EQ(config->target->text, "fast");
  ASSERT_EQ(config->profiles.size(), 2);
  EXPECT_EQ(config->Find("fast")->Find("store")->text, "/data");
  EXPECT_EQ(config->Find("fast")->Find("store")->line, 5);
  EXPECT_EQ(config->Find("fast")->Find("store")->column, 12);
  EXPECT_EQ(config->Find("bare")->Kind(), "local");
  EXPECT_EQ(config->Find("none"), nullptr);
}

TEST(ConfigFile, HoldsClusters) {
  const auto config = ParseConfig(
      "profiles:\n  a: {namespace: ml, kind: kubernetes, context: gpu}\n"
      "  b: {kind: gke, project: p, location: us-central1, cluster: tpus, cluster_endpoint: dns}\n",
      "c.yaml");
  ASSERT_TRUE(config) << config.error().message;
  EXPECT_EQ(config->Find("a")->Kind(), "kubernetes");
  EXPECT_EQ(config->Find("a")->Find("namespace")->text, "ml");
  const auto again = ParseConfig(ConfigText(*config), "c.yaml");
  ASSERT_TRUE(again) << again.error().message;
  EXPECT_EQ(again->Find("b")->Kind(), "gke");
  EXPECT_EQ(again->Find("b")->Find("cluster_endpoint")->text, "dns");
}

TEST(ConfigFile, RejectsSettingsWithoutEffectOnTheKind) {
  EXPECT_EQ(Message("profiles:\n  a: {context: gpu}\n"),
            "c.yaml:2:3: a: context has no effect in a profile of kind local | valid for kind: "
            "kubernetes");
  EXPECT_THAT(Message("profiles:\n  a: {kind: gke, kubeconfig: /x}\n"),
              HasSubstr("a: kubeconfig has no effect in a profile of kind gke"));
  EXPECT_THAT(Message("profiles:\n  local: {kind: gke}\n"),
              HasSubstr("c.yaml:2:3: the profile 'local' is reserved for this machine"));
  EXPECT_THAT(Message("profiles:\n  a: {kind: gke, namespace: a.b}\n"),
              HasSubstr("c.yaml:2:29: namespace: expected 1 to 63 lowercase letters"));
}

TEST(ConfigFile, MayBeEmpty) {
  EXPECT_TRUE(ParseConfig("", "c.yaml"));
  EXPECT_TRUE(ParseConfig("# nothing\n", "c.yaml"));
}

TEST(ConfigFile, NamesThePlaceOfEachMistake) {
  EXPECT_EQ(Message("profils: {}\n"),
            "c.yaml:1:1: unknown key 'profils' | did you mean 'profiles'?");
  EXPECT_EQ(Message("profiles:\n  a:\n    stor: /x\n"),
            "c.yaml:3:5: unknown key 'stor' | did you mean 'store'?");
  EXPECT_THAT(
      Message("profiles:\n  a: {concurrency: many}\n"),
      HasSubstr(
          "c.yaml:2:20: concurrency: expected a whole number from 0 to 4294967295, found 'many'"));
  EXPECT_THAT(Message("profiles:\n  a: {color: red}\n"), HasSubstr("c.yaml:2:14: color: expected"));
  EXPECT_THAT(Message("profiles:\n  a: {kind: cloud}\n"),
              HasSubstr("kind: expected one of local, kubernetes, gke; found 'cloud'"));
  EXPECT_THAT(Message("profiles:\n  a: {store: [x]}\n"), HasSubstr("store: expected a value"));
  EXPECT_THAT(Message("profiles:\n  'a/b': {}\n"), HasSubstr("c.yaml:2:3: 'a/b' is not"));
  EXPECT_THAT(Message("profiles: 3\n"), HasSubstr("profiles: expected a map"));
  EXPECT_THAT(Message("- a\n"), HasSubstr("c.yaml:1:1: the file: expected a map"));
}

TEST(ConfigFile, RefusesWhatIsGivenTwice) {
  EXPECT_THAT(Message("target: a\ntarget: b\n"),
              HasSubstr("c.yaml:2:1: the file: duplicate key 'target'"));
  EXPECT_THAT(Message("profiles:\n  a: {}\n  a: {}\n"), HasSubstr("duplicate key 'a'"));
}

TEST(ConfigFile, NamesThePlaceOfBrokenYaml) {
  EXPECT_THAT(Message("profiles:\n\ta: {}\n"), HasSubstr("c.yaml:2:"));
  EXPECT_THAT(Message("a: [1\n"), HasSubstr("c.yaml:"));
}

TEST(ConfigFile, IsReadBackAsItWasWritten) {
  ConfigFile config;
  config.target = ConfigValue{"odd"};
  config.profiles.push_back({.name = "odd"});
  config.profiles.back().Set("store", "/data: #1 \"x\"");
  config.profiles.back().Set("owner", "null");
  config.profiles.back().Set("python", "3.10");
  const auto again = ParseConfig(ConfigText(config), "c.yaml");
  ASSERT_TRUE(again) << again.error().message << ConfigText(config);
  EXPECT_EQ(again->target->text, "odd");
  EXPECT_EQ(again->Find("odd")->Find("store")->text, "/data: #1 \"x\"");
  EXPECT_EQ(again->Find("odd")->Find("owner")->text, "null");
  EXPECT_EQ(again->Find("odd")->Find("python")->text, "3.10");
}

class ConfigOnDisk : public ::testing::Test {
 protected:
  test::TempTree tree_;
  std::filesystem::path path_ = tree_.path() / "new folder" / "config.yaml";

  Status Add(const std::string& name) {
    const auto changed = ChangeConfig(path_, [&](ConfigFile& config) -> Status {
      config.profiles.push_back({.name = name});
      return {};
    });
    if (!changed) return Failure(changed.error());
    return {};
  }
};

TEST_F(ConfigOnDisk, AnAbsentFileIsEmpty) {
  const auto config = ReadConfig(path_);
  ASSERT_TRUE(config);
  EXPECT_FALSE(config->exists);
}

TEST_F(ConfigOnDisk, IsForItsOwnerAlone) {
  ASSERT_TRUE(Add("a"));
  struct stat info{};
  ASSERT_EQ(::stat(path_.c_str(), &info), 0);
  EXPECT_EQ(info.st_mode & 0777U, 0600U);
  ASSERT_EQ(::stat(path_.parent_path().c_str(), &info), 0);
  EXPECT_EQ(info.st_mode & 0777U, 0700U);
}

TEST_F(ConfigOnDisk, KeepsWhatManyWriteAtOnce) {
  constexpr int kWriters = 8;
  std::vector<std::thread> writers;
  writers.reserve(kWriters);
  for (int i = 0; i < kWriters; ++i)
    writers.emplace_back([&, i] { EXPECT_TRUE(Add("p" + std::to_string(i))); });
  for (std::thread& writer : writers) writer.join();
  EXPECT_EQ(ReadConfig(path_)->profiles.size(), kWriters);
}

TEST_F(ConfigOnDisk, ALinkIsFollowed) {
  const auto real = tree_.path() / "real.yaml";
  std::ofstream(real) << "target: local\n";
  std::filesystem::create_directories(path_.parent_path());
  std::filesystem::create_symlink(real, path_);
  ASSERT_TRUE(Add("a"));
  EXPECT_TRUE(std::filesystem::is_symlink(path_));
  EXPECT_NE(ReadConfig(real)->Find("a"), nullptr);
}

TEST_F(ConfigOnDisk, ABrokenFileIsNotReplaced) {
  std::filesystem::create_directories(path_.parent_path());
  std::ofstream(path_) << "oops: 1\n";
  EXPECT_FALSE(Add("a"));
  std::ifstream file(path_);
  EXPECT_EQ(std::string(std::istreambuf_iterator<char>(file), {}), "oops: 1\n");
}

TEST_F(ConfigOnDisk, AFolderInItsPlaceIsAnError) {
  std::filesystem::create_directories(path_);
  EXPECT_THAT(ReadConfig(path_).error().message, HasSubstr("it is a folder"));
}

}  // namespace
}  // namespace kinetic::settings

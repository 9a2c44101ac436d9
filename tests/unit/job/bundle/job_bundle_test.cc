#include "job/bundle/job_bundle.h"

#include "base/random.h"
#include "unit/job/fake_target.h"

#include <gmock/gmock.h>

namespace kinetic::job {
namespace {

using ::testing::ElementsAre;

/// The bytes reported to an observer: done and total.
class ByteCounter : public Observer {
 public:
  void OnBytes(Phase phase, std::uint64_t done, std::uint64_t total) override {
    EXPECT_EQ(phase, Phase::kStage);
    seen.emplace_back(done, total);
  }
  std::vector<std::pair<std::uint64_t, std::uint64_t>> seen;
};

class JobBundleTest : public ::testing::Test {
 protected:
  JobBundleTest() { context_->options.cache_dir = tree_ / "cache"; }

  static std::vector<std::string> Paths(const LocalFiles& files) {
    std::vector<std::string> paths;
    for (const auto& entry : files.source.entries) paths.push_back(entry.path);
    return paths;
  }

  test::TempTree tree_;
  test::FakeContext context_;
};

TEST_F(JobBundleTest, WorkdirCorrespondsToTheJobsFolder) {
  tree_.MakeFolder("root/sub/deep");
  (void)tree_.MakeLink("alias", "root/sub");
  const Path root = tree_ / "root";
  JobSpec spec;
  const auto resolved = [&] { return *ResolveWorkdir(spec, root); };
  for (const auto& [folder, expected] :
       {std::pair("root", "."), std::pair("root/sub/deep", "sub/deep"), std::pair("alias", "sub"),
        std::pair("other", ".")}) {
    spec.directory = tree_ / folder;
    EXPECT_EQ(resolved(), expected) << folder;
  }
  spec.workdir = tree_ / "root/sub";  // the caller's folder
  EXPECT_EQ(resolved(), "sub");
  spec.workdir = "any/where";
  EXPECT_EQ(resolved(), "any/where");
  spec.workdir.clear();
  spec.directory = root / "\xff";
  EXPECT_EQ(ResolveWorkdir(spec, root).error().code, ErrorCode::kInvalidArgument);
}

TEST_F(JobBundleTest, DataIgnoresExcludeRules) {
  tree_.Write("data/.gitignore", "*.csv\n");
  tree_.Write("data/a.csv", "1");
  tree_.Write("data/node_modules/x", "");
  const auto files = WalkData(*context_, tree_ / "data", false, {});
  ASSERT_TRUE(files) << files.error().message;
  EXPECT_THAT(Paths(*files), ElementsAre(".gitignore", "a.csv", "node_modules/x"));
}

TEST_F(JobBundleTest, SingleDataFileIsTreeWithOneEntry) {
  tree_.Write("a.sh", "x", 0755);
  tree_.MakeLink("link", "a.sh");
  auto files = WalkData(*context_, tree_ / "link", false, {});
  ASSERT_TRUE(files) << files.error().message;
  EXPECT_THAT(Paths(*files), ElementsAre("a.sh"));
  EXPECT_TRUE(files->source.entries[0].executable);
  EXPECT_TRUE(HashFiles(*context_, *files, {}));
}

TEST_F(JobBundleTest, MissingDataErrorNamesPath) {
  const auto files = WalkData(*context_, tree_ / "absent", false, {});
  ASSERT_FALSE(files);
  EXPECT_EQ(files.error().code, ErrorCode::kNotFound);
  EXPECT_THAT(files.error().message, ::testing::HasSubstr("absent"));
}

TEST_F(JobBundleTest, StoredTreeHasComputedDigest) {
  tree_.Write("project/pyproject.toml", "");
  constexpr std::uint64_t kBytes = 2'000'000;  // more than fits inline
  tree_.Write("project/m.bin", RandomBytes(kBytes));
  JobSpec spec;
  spec.directory = tree_ / "project";
  const auto root = FindBundleRoot(*context_, spec);
  ASSERT_TRUE(root) << root.error().message;
  auto files = WalkBundle(*context_, spec, *root, {});
  ASSERT_TRUE(files) << files.error().message;
  const auto digest = HashFiles(*context_, *files, {});
  ASSERT_TRUE(digest);
  bundle::ContentLease lease(context_.store(), [](std::string_view) {
    return Result<bundle::TreeReferences>(bundle::TreeReferences());
  });
  ByteCounter bytes;
  const auto report = StoreFiles(*context_, lease, *files, bytes, {});
  ASSERT_TRUE(report) << report.error().message;
  EXPECT_EQ(report->tree, *digest);
  EXPECT_FALSE(report->existed);
  ASSERT_FALSE(bytes.seen.empty());
  EXPECT_EQ(bytes.seen.back(), std::pair(kBytes, kBytes));
}

}  // namespace
}  // namespace kinetic::job

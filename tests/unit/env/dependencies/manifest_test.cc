#include "env/dependencies/manifest.h"

#include "support/temp_tree.h"
#include "unit/env/sample.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <string>

namespace kinetic::env {
namespace {

using ::testing::ElementsAre;
using ::testing::HasSubstr;
using ::testing::Not;

class ManifestTest : public ::testing::Test {
 protected:
  ManifestOptions Options() const {
    ManifestOptions options;
    options.search_start = options.search_root = tree_.path();
    options.python = "3.12";
    options.platform = "linux-x86_64";
    return options;
  }

  static Manifest Read(const ManifestOptions& options) {
    auto manifest = ReadManifest(PosixFileSystem(), options);
    EXPECT_TRUE(manifest) << manifest.error().message;
    return manifest ? *std::move(manifest) : Manifest();
  }
  Manifest Read() const { return Read(Options()); }

  std::string ErrorOf(const ManifestOptions& options) const {
    const auto manifest = ReadManifest(PosixFileSystem(), options);
    return manifest ? "no error" : manifest.error().message;
  }

  std::string KeyOf(const std::string& requirements) const {
    tree_.Write("requirements.txt", requirements);
    return Read().Key().Hex();
  }

  test::TempTree tree_;
};

TEST_F(ManifestTest, IsEmptyWithoutDependencyFile) {
  const Manifest manifest = Read();
  EXPECT_EQ(manifest.kind, ManifestKind::kNone);
  EXPECT_TRUE(manifest.Empty());
  tree_.Write("requirements.txt", "six");
  auto options = Options();
  options.spec.none = true;
  EXPECT_TRUE(Read(options).Empty());
}

TEST_F(ManifestTest, PrefersFilesInOrder) {
  tree_.Write("pyproject.toml", "[project]\nname='p'\ndependencies=['a']\n");
  EXPECT_EQ(Read().kind, ManifestKind::kPyproject);
  tree_.Write("requirements.txt", "b");
  EXPECT_EQ(Read().kind, ManifestKind::kRequirements);
  tree_.Write("uv.lock", "version = 1\n[[package]]\nname='p'\nversion='0'\nsource={virtual='.'}\n");
  const Manifest manifest = Read();
  EXPECT_EQ(manifest.kind, ManifestKind::kUvLock);
  EXPECT_EQ(manifest.source, tree_ / "uv.lock");
  ASSERT_TRUE(manifest.embedded_lock);
  EXPECT_EQ(manifest.embedded_lock->manifest_key, manifest.Key());
  EXPECT_EQ(manifest.embedded_lock->resolver, "uv.lock");
}

TEST_F(ManifestTest, SearchesParentFoldersUpToBound) {
  tree_.Write("requirements.txt", "outside");
  tree_.MakeFolder("root/src/deep");
  auto options = Options();
  options.search_start = tree_ / "root/src/deep";
  options.search_root = tree_ / "root";
  EXPECT_TRUE(Read(options).Empty());
  tree_.Write("root/requirements.txt", "inside");
  EXPECT_THAT(Read(options).requirements, ElementsAre("inside"));
  tree_.Write("root/src/requirements.txt", "nearer");
  EXPECT_THAT(Read(options).requirements, ElementsAre("nearer"));
}

TEST_F(ManifestTest, SkipsPyprojectWithoutProjectTable) {
  tree_.Write("sub/pyproject.toml", "[tool.ruff]\nline-length = 100\n");
  tree_.Write("requirements.txt", "six");
  auto options = Options();
  options.search_start = tree_ / "sub";
  const Manifest manifest = Read(options);
  EXPECT_THAT(manifest.requirements, ElementsAre("six"));
  EXPECT_THAT(manifest.warnings, ElementsAre(HasSubstr("has no [project] table")));
}

TEST_F(ManifestTest, PrefersScriptMetadata) {
  tree_.Write("requirements.txt", "six");
  auto options = Options();
  options.script = tree_.Write("train.py", "# /// script\n# dependencies = ['idna']\n# ///\n");
  EXPECT_THAT(Read(options).requirements, ElementsAre("idna"));
  EXPECT_EQ(Read(options).kind, ManifestKind::kScript);
  options.script = tree_.Write("plain.py", "print()\n");
  EXPECT_THAT(Read(options).requirements, ElementsAre("six"));
}

TEST_F(ManifestTest, ReadsNamedFile) {
  auto options = Options();
  options.spec.file = tree_.Write("more/requirements-dev.txt", "six");
  EXPECT_THAT(Read(options).requirements, ElementsAre("six"));
  options.spec.file =
      tree_.Write("more/pyproject.toml", "[project]\nname='p'\ndependencies=['a']\n");
  EXPECT_THAT(Read(options).requirements, ElementsAre("a"));
  options.spec.file = tree_.Write("none.py", "");
  EXPECT_EQ(ErrorOf(options), "none.py has no inline script metadata ('# /// script')");
  options.spec.file = tree_ / "absent.txt";
  EXPECT_EQ(ReadManifest(PosixFileSystem(), options).error().code, ErrorCode::kNotFound);
}

TEST_F(ManifestTest, TomlErrorsHavePositions) {
  tree_.Write("pyproject.toml", "[project]\nname = \n");
  EXPECT_THAT(ErrorOf(Options()), HasSubstr("pyproject.toml:2:"));
}

TEST_F(ManifestTest, ExtrasAndGroupsRequireProject) {
  tree_.Write("requirements.txt", "six");
  auto options = Options();
  options.spec.extras = {"gpu"};
  EXPECT_THAT(ErrorOf(options),
              HasSubstr("dependencies: extras and groups require a pyproject.toml"));
}

TEST_F(ManifestTest, HashedRequirementsAreEmbeddedLock) {
  tree_.Write("requirements.txt", "six==1.16.0 --hash=" + kHash + "\nidna==3 --hash=" + kHash +
                                      "\nwin==1 ; os_name == 'nt' --hash=" + kHash + "\n");
  const Manifest manifest = Read();
  ASSERT_TRUE(manifest.embedded_lock);
  ASSERT_EQ(manifest.embedded_lock->packages.size(), 2U);
  EXPECT_EQ(manifest.embedded_lock->packages[1], (LockedPackage{"six", "1.16.0", "", {kHash}}));
  EXPECT_EQ(manifest.embedded_lock->python, "3.12");
  tree_.Write("requirements.txt", "a==1 --hash=" + kHash + "\na==2 --hash=" + kHash);
  EXPECT_THAT(ErrorOf(Options()), HasSubstr("a is required twice: as 1 and as 2"));
}

TEST_F(ManifestTest, KeyIgnoresFormatting) {
  const std::string key = KeyOf("six>=1,<2\nIdna\n");
  EXPECT_EQ(KeyOf("# two packages\r\n\r\nIDNA  # names\r\nSIX <2, >= 1\r\nidna\r\n"), key);
  EXPECT_NE(KeyOf("six>=1,<3\nidna\n"), key);
  EXPECT_NE(KeyOf("six>=1,<2\nidna\ncertifi"), key);
  tree_.Write("base.txt", "idna");
  EXPECT_EQ(KeyOf("-r base.txt\nsix<2,>=1"), key);
  EXPECT_NE(KeyOf("-c base.txt\nsix<2,>=1\nidna"), key);
}

TEST_F(ManifestTest, KeyDependsOnEveryInput) {
  tree_.Write("requirements.txt", "six");
  const auto key = Read().Key();
  const auto with = [&](auto change) {
    auto options = Options();
    change(options);
    return Read(options).Key();
  };
  EXPECT_NE(with([](auto& o) { o.python = "3.11"; }), key);
  EXPECT_NE(with([](auto& o) { o.platform = "linux-aarch64"; }), key);
  EXPECT_NE(with([](auto& o) { o.accelerator = "tpu"; }), key);
  EXPECT_NE(with([](auto& o) { o.base_image = "python:3.12-slim"; }), key);
  EXPECT_NE(with([](auto& o) { o.environment["PIP_INDEX_URL"] = "https://h.example/s"; }), key);
  EXPECT_EQ(with([](auto& o) { o.environment["HOME"] = "/elsewhere"; }), key);
}

TEST_F(ManifestTest, KeyAndInputsContainNoCredentials) {
  tree_.Write("requirements.txt",
              "-i https://${U}:${P}@h.example/simple\nfoo @ https://x:${P}@h.example/foo.zip\n");
  auto options = Options();
  options.environment = {{"U", "ana"}, {"P", "s3cret"}};
  const Manifest one = Read(options);
  options.environment = {{"U", "ben"}, {"P", "0ther"}};
  EXPECT_EQ(Read(options).Key(), one.Key());
  for (const auto& [name, value] : one.Inputs()) EXPECT_THAT(value, Not(HasSubstr("s3cret")));
  EXPECT_EQ(one.private_urls.size(), 2U);
}

TEST_F(ManifestTest, FilesOverrideEnvironment) {
  tree_.Write("requirements.txt",
              "-i https://file.example/s\n--extra-index-url https://b.example\nsix");
  auto options = Options();
  options.environment = {{"PIP_INDEX_URL", "https://env.example/s"},
                         {"PIP_EXTRA_INDEX_URL", "https://a.example"}};
  const Manifest manifest = Read(options);
  EXPECT_EQ(manifest.index.url, "https://file.example/s");
  EXPECT_THAT(manifest.index.extra_urls, ElementsAre("https://a.example", "https://b.example"));
}

}  // namespace
}  // namespace kinetic::env

#include "env/dependencies/manifest.h"
#include "env/install/installer.h"
#include "env/install/package.h"
#include "env/python/target_platform.h"
#include "env/resolve/resolver.h"
#include "support/temp_tree.h"
#include "unit/env/sample.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <set>
#include <string>
#include <vector>

namespace kinetic::env {
namespace {

using ::testing::Contains;
using ::testing::ElementsAre;
using ::testing::HasSubstr;
using ::testing::IsEmpty;
using ::testing::IsSupersetOf;
using ::testing::Not;
using ::testing::Pair;
using ::testing::StartsWith;

TEST(TargetPlatform, HasOptionsForUv) {
  const auto pod = TargetPlatform::For("3.12", "linux-x86_64");
  ASSERT_TRUE(pod) << pod.error().message;
  EXPECT_THAT(PlatformOptions(*pod), ElementsAre("--python-version", "3.12", "--python-platform",
                                                 "x86_64-manylinux_2_31"));
}

TEST(TargetPlatform, RequiresLinuxAndMinorVersion) {
  EXPECT_EQ(TargetPlatform::For("3.12.4", "linux-x86_64")->Minor(), "3.12");
  EXPECT_EQ(TargetPlatform::For("3", "linux-x86_64").error().code, ErrorCode::kInvalidArgument);
  EXPECT_EQ(TargetPlatform::For("x", "linux-x86_64").error().code, ErrorCode::kInvalidArgument);
  for (const char* const other : {"darwin-arm64", "linux-aarch64", "linux-riscv64", "linux", ""}) {
    EXPECT_EQ(TargetPlatform::For("3.12", other).error().code, ErrorCode::kUnimplemented) << other;
  }
}

class PodManifestTest : public ::testing::Test {
 protected:
  Result<Manifest> Read(const std::string& requirements, bool for_pod = true,
                        const std::string& accelerator = "tpu") {
    tree_.Write("requirements.txt", requirements);
    ManifestOptions options;
    options.search_start = options.search_root = tree_.path();
    options.python = "3.12";
    options.platform = "linux-x86_64";
    options.accelerator = accelerator;
    options.for_pod = for_pod;
    return ReadManifest(PosixFileSystem(), options);
  }

  test::TempTree tree_;
};

TEST_F(PodManifestTest, InputsIncludeTemplates) {
  const auto manifest = Read("jax\nsix\n");
  ASSERT_TRUE(manifest) << manifest.error().message;
  EXPECT_THAT(manifest->Inputs(), IsSupersetOf({Pair("dependencies", "jax[tpu]\nsix"),
                                                Pair("pod", "glibc 2.31, accelerator extras 1")}));
  EXPECT_THAT(manifest->index.only_binary, ElementsAre(":all:"));
}

TEST_F(PodManifestTest, AddsAcceleratorExtra) {
  const auto added = [&](const std::string& line, const std::string& accelerator) {
    const auto manifest = Read(line + "\n", true, accelerator);
    std::vector<std::string> lines;
    EXPECT_TRUE(manifest) << manifest.error().message;
    for (const auto& [before, now] : manifest->added) lines.push_back(now);
    return lines;
  };
  EXPECT_THAT(added("jax>=0.5", "tpu"), ElementsAre("jax[tpu]>=0.5"));
  EXPECT_THAT(added("jax ; python_version > '3.9'", "gpu"),
              ElementsAre("jax[cuda12] ; python_version > '3.9'"));
  for (const char* const line : {"jax[k8s]", "jax [k8s]", "jaxlib", "ja", "torch"}) {
    EXPECT_THAT(added(line, "tpu"), IsEmpty()) << line;
  }
  EXPECT_THAT(added("jax", "cpu"), IsEmpty());
  EXPECT_THAT(added("jax==0.5.0 --hash=" + kHash, "tpu"), IsEmpty());
}

TEST_F(PodManifestTest, KeyDiffersFromLocalKey) {
  const auto here = Read("six\n", false);
  const auto pod = Read("six\n");
  ASSERT_TRUE(here && pod);
  EXPECT_NE(here->Key(), pod->Key());
  EXPECT_THAT(here->Inputs(), Not(Contains(Pair("pod", ::testing::_))));
  EXPECT_THAT(Read("jax\n", false)->requirements, ElementsAre("jax"));
}

TEST(Manifest, LocalKeysAreStable) {
  Manifest manifest;
  manifest.python = "3.12";
  manifest.platform = "linux-x86_64";
  manifest.accelerator = "cpu";
  manifest.requirements = {"jax", "six==1.16.0"};
  EXPECT_EQ(manifest.Key().Hex(),
            "d84089cc178b9b160448cb8b0df28bb6cfd6f79727612e6e06fa1f74ca519d42");
}

TEST(WheelKey, DependsOnEachInput) {
  Lock lock;
  lock.python = "3.12";
  lock.platform = "linux-x86_64";
  const LockedPackage package{"six", "1.16.0", "", {kHash}};
  const Digest key = WheelKey(lock, package, "/kinetic/env");
  std::set<Digest> keys{key};
  const auto differs = [&](auto change, const std::string& prefix = "/kinetic/env") {
    Lock other = lock;
    LockedPackage changed = package;
    change(other, changed);
    return keys.insert(WheelKey(other, changed, prefix)).second;
  };
  EXPECT_TRUE(differs([](Lock& l, auto&) { l.python = "3.13"; }));
  EXPECT_TRUE(differs([](Lock& l, auto&) { l.platform = "linux-aarch64"; }));
  EXPECT_TRUE(differs([](auto&, auto& p) { p.name = "seven"; }));
  EXPECT_TRUE(differs([](auto&, auto& p) { p.version = "1.17.0"; }));
  EXPECT_TRUE(differs([](auto&, auto& p) { p.url = "https://h.example/six.whl"; }));
  EXPECT_TRUE(differs([](auto&, auto& p) { p.hashes = {"sha256:" + std::string(64, 'b')}; }));
  EXPECT_TRUE(differs([](auto&, auto& p) { p.hashes.push_back(kHash); }));
  EXPECT_TRUE(differs([](auto&, auto&) {}, "/kinetic/other"));
  // Not on resolver, time, index and Python's patch version.
  EXPECT_FALSE(differs([](Lock& l, auto&) {
    l.resolver = "pip 24.0";
    l.index.url = "https://h.example/simple";
    l.python = "3.12.4";
    l.packages = {{"idna", "3", "", {kHash}}};
  }));
}

/// Returns the hint for an installer's output.
std::string HintForOutput(const std::string& said) {
  const test::TempTree tree;
  auto log = InstallerLog::Create(PosixFileSystem(), tree / "x.log", {}, nullptr);
  log->Write(said);
  const auto target = TargetPlatform::For("3.12", "linux-x86_64");
  const Failure failure = PodInstallerFailure("it failed", *target, *log);
  EXPECT_THAT(failure.error().hint, HasSubstr("full log: "));
  return failure.error().hint;
}

TEST(PodInstallerFailure, NamesPackageWithoutWheel) {
  for (const char* const said :
       {"hint: Wheels are required for `docopt` because building from source is disabled\n",
        "hint: Wheels are available for `docopt` (v1) on the following platforms: `win32`\n",
        "error: Package `docopt` can't be installed because it doesn't have a wheel\n",
        "hint: You require CPython 3.12 (`cp312`), but we only found wheels for `docopt` "
        "(v305)\n"}) {
    EXPECT_THAT(HintForOutput(said),
                StartsWith("docopt has no wheel for Python 3.12 on linux-x86_64"));
  }
  EXPECT_THAT(
      HintForOutput("      and all versions of docopt have no usable wheels and building from\n"),
      StartsWith("a package has no wheel for Python 3.12 on linux-x86_64"));
  EXPECT_THAT(HintForOutput("Because there is no version of idna==99.0\n"),
              StartsWith("check the name and version"));
  EXPECT_THAT(HintForOutput("OSError: [Errno 28] No space left on device\n"),
              StartsWith("free some disk space"));
}

}  // namespace
}  // namespace kinetic::env

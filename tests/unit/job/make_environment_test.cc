#include "job/make_environment.h"

#include "bundle/tree_code.h"
#include "env/wheel_key.h"
#include "fake_target.h"
#include "job/package.h"
#include "pod/container.h"
#include "record/layout.h"
#include "record/stored_package.h"
#include "support/memory_store.h"

#include <gmock/gmock.h>

#include <algorithm>
#include <mutex>
#include <string>
#include <vector>

namespace kinetic::job {
namespace {

using ::testing::HasSubstr;
using ::testing::IsEmpty;
using ::testing::Not;

constexpr std::string_view kBase = "python:3.12-slim";

/// A job for pods whose packages somebody has stored before: nothing can be installed here.
class MakeEnvironmentTest : public ::testing::Test {
 protected:
  MakeEnvironmentTest() {
    context_->options.cache_dir = context_.files() / "cache";
    context_->options.search_path = "/nowhere";
    context_->store = memory_;
    context_.target().base = target::BaseImage{std::string(kBase), "3.12", "linux-x86_64"};
    context_.files().Write("project/requirements.txt",
                           "humanize==4.9.0 --hash=sha256:" + std::string(64, 'a') +
                               "\nidna==3.7 --hash=sha256:" + std::string(64, 'b') + "\n");
  }

  JobEnvironment Read(const std::optional<std::string>& image = {}) {
    JobSpec spec;
    spec.run = Command{.shell = "", .argv = {"./work"}};
    spec.directory = context_.files() / "project";
    if (image) {
      spec.image = ImageSpec{.uri = *image};
      context_.target().base->is_given = true;
    }
    auto environment = ReadEnvironment(*context_, spec, spec.directory, std::nullopt);
    EXPECT_TRUE(environment) << environment.error().message;
    return *std::move(environment);
  }

  /// Stores what installing the packages would give: a file for each.
  void StorePackages(const env::Lock& lock) {
    bundle::ContentLease lease(*memory_, &bundle::ReferencesOf);
    for (const auto& package : lock.packages) {
      bundle::Tree tree;
      tree.entries.push_back({.path = "lib/" + package.name, .content = Sha256::Of("")});
      const Digest digest = bundle::TreeDigest(tree.entries);
      ASSERT_TRUE(lease.PutTree(digest, *bundle::EncodeTree(tree), {}));
      const std::string name =
          record::PackageName(env::WheelKey(lock, package, pod::kEnvironmentFolder));
      ASSERT_TRUE(record::WriteStoredPackage(*memory_, name, {package.name, digest, 1, 0}, {}));
    }
  }

  /// @returns  the names that were asked for.
  std::vector<std::string> Make(JobEnvironment& environment) {
    asked_.clear();
    memory_->SetHook([this](std::string_view operation, std::string_view name) -> Status {
      const std::lock_guard lock(mutex_);
      if (operation == "get") asked_.emplace_back(name);
      return {};
    });
    const auto lease = LeaseForSubmission(*context_);
    const auto made = MakeEnvironment(*context_, environment, *lease, {}, {});
    EXPECT_TRUE(made) << made.error().message;
    memory_->SetHook({});
    return asked_;
  }

  std::string EnvironmentObject() const {
    for (const auto& [name, info] : memory_->Objects()) {
      if (name.starts_with(record::kEnvironmentPrefix)) return name;
    }
    return {};
  }

  test::FakeContext context_;
  test::FakeClock clock_;
  std::shared_ptr<test::MemoryStore> memory_ = std::make_shared<test::MemoryStore>(clock_);
  std::mutex mutex_;
  std::vector<std::string> asked_;
};

TEST_F(MakeEnvironmentTest, OfStoredPackagesNeedsNoInstaller) {
  JobEnvironment environment = Read();
  ASSERT_TRUE(environment.manifest);
  StorePackages(*environment.manifest->own_lock);
  Make(environment);
  ASSERT_TRUE(environment.ready && environment.ready->tree);
  EXPECT_TRUE(environment.ready->built);
  EXPECT_EQ(environment.ready->tree->files, 2U);
  EXPECT_THAT(EnvironmentObject(), Not(IsEmpty()));
}

TEST_F(MakeEnvironmentTest, WhatWasMadeBeforeIsNotAskedFor) {
  JobEnvironment first = Read();
  StorePackages(*first.manifest->own_lock);
  Make(first);
  JobEnvironment again = Read();
  const auto asked = Make(again);
  EXPECT_EQ(again.ready->tree->digest, first.ready->tree->digest);
  EXPECT_EQ(again.ready->id, first.ready->id);
  EXPECT_FALSE(again.ready->built);
  for (const auto& name : asked) {
    EXPECT_THAT(name, Not(HasSubstr("environments/")));
    EXPECT_THAT(name, Not(HasSubstr("packages/")));
  }
}

TEST_F(MakeEnvironmentTest, WhatWasMadeBeforeAndIsGoneIsMadeAnew) {
  JobEnvironment first = Read();
  StorePackages(*first.manifest->own_lock);
  Make(first);
  memory_->Drop(record::TreeName(first.ready->tree->digest));
  JobEnvironment again = Read();
  Make(again);
  EXPECT_TRUE(again.ready->built);
  EXPECT_EQ(again.ready->tree->digest, first.ready->tree->digest);
  EXPECT_TRUE(memory_->Peek(record::TreeName(first.ready->tree->digest)));
}

TEST_F(MakeEnvironmentTest, AnotherMachineFindsItByOneDocument) {
  JobEnvironment first = Read();
  StorePackages(*first.manifest->own_lock);
  Make(first);
  context_->options.cache_dir = context_.files() / "another-cache";
  JobEnvironment again = Read();
  Make(again);
  EXPECT_FALSE(again.ready->built);
  EXPECT_EQ(again.ready->tree->digest, first.ready->tree->digest);
}

TEST_F(MakeEnvironmentTest, WhatItWouldPutIsKnownBefore) {
  JobEnvironment before = Read();
  ASSERT_TRUE(FindEnvironment(*context_, before, {}));
  const auto names = ObjectsToMake(*context_, before);
  EXPECT_EQ(names.size(), 3U);
  StorePackages(*before.manifest->own_lock);
  Make(before);
  for (const auto& name : names) EXPECT_TRUE(memory_->Peek(name)) << name;
  JobEnvironment after = Read();
  ASSERT_TRUE(FindEnvironment(*context_, after, {}));
  EXPECT_THAT(ObjectsToMake(*context_, after), IsEmpty());
}

TEST_F(MakeEnvironmentTest, AnImageThatTheJobNamesIsLeftAsItIs) {
  const JobEnvironment environment = Read("registry.example/mine:1");
  EXPECT_FALSE(environment.manifest);
  EXPECT_EQ(environment.left_out, "requirements.txt");
}

TEST_F(MakeEnvironmentTest, AJobWithoutDependenciesHasWhatItsImageHas) {
  std::filesystem::remove(context_.files() / "project/requirements.txt");
  const JobEnvironment environment = Read();
  EXPECT_FALSE(environment.manifest);
  EXPECT_THAT(environment.left_out, IsEmpty());
}

TEST_F(MakeEnvironmentTest, ManifestsAreForTheImagesPythonAndPlatform) {
  const JobEnvironment environment = Read();
  EXPECT_TRUE(environment.manifest->for_pod);
  EXPECT_EQ(environment.manifest->python, "3.12");
  EXPECT_EQ(environment.manifest->platform, "linux-x86_64");
  EXPECT_EQ(environment.manifest->base_image, kBase);
}

}  // namespace
}  // namespace kinetic::job

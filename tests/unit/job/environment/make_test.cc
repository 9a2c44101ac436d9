#include "job/environment/make.h"

#include "bundle/format/tree_codec.h"
#include "env/install/package.h"
#include "env/resolve/resolver.h"
#include "job/bundle/job_bundle.h"
#include "pod/container.h"
#include "record/object_names.h"
#include "record/packages/objects.h"
#include "support/memory_store.h"
#include "unit/job/fake_target.h"

#include <gmock/gmock.h>

#include <algorithm>
#include <future>
#include <mutex>
#include <optional>
#include <string>
#include <vector>

namespace kinetic::job {
namespace {

using ::testing::ElementsAre;
using ::testing::HasSubstr;
using ::testing::IsEmpty;
using ::testing::Not;

const std::string kBaseDigest = "sha256:" + std::string(64, 'c');
const std::string kBase = "python:3.12-slim@" + kBaseDigest;  // needs no registry

/// A job for pods whose packages are stored already. This machine cannot install packages.
class MakeEnvironmentTest : public ::testing::Test {
 protected:
  MakeEnvironmentTest() {
    context_->options.cache_dir = context_.files() / "cache";
    context_->options.search_path = "/nowhere";
    context_->store = memory_;
    context_.target().base = backend::BaseImage{kBase, "3.12", "linux-x86_64"};
    context_.files().Write("project/requirements.txt", "humanize==4.9.0\nidna==3.7\n");
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

  /// Stores a lock, as if another client had resolved it.
  env::Lock StoreLock(const JobEnvironment& environment) {
    env::Lock lock;
    lock.manifest_key = environment.manifest->Key();
    lock.python = "3.12";
    lock.platform = "linux-x86_64";
    lock.base_image = kBaseDigest;
    lock.packages = {{"humanize", "4.9.0", "", {"sha256:" + std::string(64, 'a')}},
                     {"idna", "3.7", "", {"sha256:" + std::string(64, 'b')}}};
    lock.resolved_at = clock_.Now();
    lock.resolver = "uv";
    EXPECT_TRUE(env::StoreLock(*memory_, lock, {}));
    return lock;
  }

  /// Stores the lock, and the installed packages, one file each.
  void StorePackages(const JobEnvironment& environment) {
    const env::Lock lock = StoreLock(environment);
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

  /// @returns  the requested names.
  std::vector<std::string> Make(JobEnvironment& environment) {
    asked_.clear();
    memory_->SetHook([this](std::string_view operation, std::string_view name) -> Status {
      const std::lock_guard lock(mutex_);
      if (operation == "get") asked_.emplace_back(name);
      return {};
    });
    const auto lease = MakeSubmissionLease(*context_);
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

TEST_F(MakeEnvironmentTest, UsesStoredPackagesWithoutInstaller) {
  JobEnvironment environment = Read();
  ASSERT_TRUE(environment.manifest);
  StorePackages(environment);
  Make(environment);
  ASSERT_TRUE(environment.ready && environment.ready->tree);
  EXPECT_TRUE(environment.ready->built);
  EXPECT_EQ(environment.ready->tree->files, 2U);
  EXPECT_THAT(EnvironmentObject(), Not(IsEmpty()));
}

TEST_F(MakeEnvironmentTest, ReusesRecentEnvironment) {
  JobEnvironment first = Read();
  StorePackages(first);
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

TEST_F(MakeEnvironmentTest, RebuildsRemovedEnvironment) {
  JobEnvironment first = Read();
  StorePackages(first);
  Make(first);
  memory_->Drop(record::TreeName(first.ready->tree->digest));
  JobEnvironment again = Read();
  Make(again);
  EXPECT_TRUE(again.ready->built);
  EXPECT_EQ(again.ready->tree->digest, first.ready->tree->digest);
  EXPECT_TRUE(memory_->Peek(record::TreeName(first.ready->tree->digest)));
}

TEST_F(MakeEnvironmentTest, FindsEnvironmentOfAnotherClient) {
  JobEnvironment first = Read();
  StorePackages(first);
  Make(first);
  context_->options.cache_dir = context_.files() / "another-cache";
  JobEnvironment again = Read();
  Make(again);
  EXPECT_FALSE(again.ready->built);
  EXPECT_EQ(again.ready->tree->digest, first.ready->tree->digest);
}

TEST_F(MakeEnvironmentTest, PredictsStoredObjects) {
  JobEnvironment before = Read();
  StoreLock(before);
  ASSERT_TRUE(FindEnvironment(*context_, before, {}));
  const auto names = ObjectsToMake(*context_, before);
  EXPECT_EQ(names.size(), 4U);
  StorePackages(before);
  Make(before);
  for (const auto& name : names) EXPECT_TRUE(memory_->Peek(name)) << name;
  JobEnvironment after = Read();
  ASSERT_TRUE(FindEnvironment(*context_, after, {}));
  EXPECT_THAT(ObjectsToMake(*context_, after),
              ElementsAre(record::LockName(after.manifest->Key())));
}

TEST_F(MakeEnvironmentTest, LockPinsBaseImage) {
  JobEnvironment first = Read();
  StorePackages(first);
  Make(first);
  EXPECT_EQ(first.lock->lock.base_image, kBaseDigest);
  const std::string name = record::LockName(first.manifest->Key());
  auto stored = env::LockFromJson(*memory_->Peek(name));
  ASSERT_TRUE(stored);
  const std::string older = "sha256:" + std::string(64, 'd');
  stored->base_image = older;
  ASSERT_TRUE(env::ReplaceLock(*memory_, *stored, {}));
  JobEnvironment again = Read();
  Make(again);
  EXPECT_EQ(again.lock->lock.base_image, older);
  JobEnvironment looked_at = Read();
  ASSERT_TRUE(FindEnvironment(*context_, looked_at, {}));
  EXPECT_EQ(looked_at.lock->lock.EnvironmentId(), again.lock->lock.EnvironmentId());
}

TEST_F(MakeEnvironmentTest, RequestsNodeOnlyForBuilds) {
  const auto asked = std::make_shared<std::promise<std::string>>();
  context_.target().is_cluster = true;
  context_.target().provision_node = [asked](const backend::NodeRequest& request,
                                             const std::function<void(std::string_view)>&,
                                             const std::stop_token&) -> Status {
    asked->set_value(request.image);  // throws on a second call
    return {};
  };
  Observer silent;
  const JobSpec spec;
  const auto make = [&] {
    ProvisioningRequest provisioning(*context_, spec, silent);
    JobEnvironment environment = Read();
    StorePackages(environment);
    const auto lease = MakeSubmissionLease(*context_);
    const auto made =
        MakeEnvironment(*context_, environment, *lease, {.provisioning = &provisioning}, {});
    EXPECT_TRUE(made) << made.error().message;
  };
  make();
  EXPECT_EQ(asked->get_future().get(), kBase);
  make();
}

TEST_F(MakeEnvironmentTest, SkipsJobsWithOwnImage) {
  const JobEnvironment environment = Read("registry.example/mine:1");
  EXPECT_FALSE(environment.manifest);
  EXPECT_EQ(environment.left_out, "requirements.txt");
}

TEST_F(MakeEnvironmentTest, SkipsJobsWithoutDependencies) {
  std::filesystem::remove(context_.files() / "project/requirements.txt");
  const JobEnvironment environment = Read();
  EXPECT_FALSE(environment.manifest);
  EXPECT_THAT(environment.left_out, IsEmpty());
}

TEST_F(MakeEnvironmentTest, ManifestMatchesImagePythonAndPlatform) {
  const JobEnvironment environment = Read();
  EXPECT_TRUE(environment.manifest->for_pod);
  EXPECT_EQ(environment.manifest->python, "3.12");
  EXPECT_EQ(environment.manifest->platform, "linux-x86_64");
  EXPECT_EQ(environment.manifest->base_image, kBase);
}

}  // namespace
}  // namespace kinetic::job

#include "job/environment/make.h"

#include "bundle/format/tree_codec.h"
#include "env/install/package.h"
#include "env/resolve/build_request.h"
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

  /// Stores the installed packages, one file each.
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
  StorePackages(*environment.manifest->embedded_lock);
  Make(environment);
  ASSERT_TRUE(environment.ready && environment.ready->tree);
  EXPECT_TRUE(environment.ready->built);
  EXPECT_EQ(environment.ready->tree->files, 2U);
  EXPECT_THAT(EnvironmentObject(), Not(IsEmpty()));
}

TEST_F(MakeEnvironmentTest, ReusesRecentEnvironment) {
  JobEnvironment first = Read();
  StorePackages(*first.manifest->embedded_lock);
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
  StorePackages(*first.manifest->embedded_lock);
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
  StorePackages(*first.manifest->embedded_lock);
  Make(first);
  context_->options.cache_dir = context_.files() / "another-cache";
  JobEnvironment again = Read();
  Make(again);
  EXPECT_FALSE(again.ready->built);
  EXPECT_EQ(again.ready->tree->digest, first.ready->tree->digest);
}

TEST_F(MakeEnvironmentTest, PredictsStoredObjects) {
  JobEnvironment before = Read();
  ASSERT_TRUE(FindEnvironment(*context_, before, {}));
  const auto names = ObjectsToMake(*context_, before);
  EXPECT_EQ(names.size(), 4U);
  StorePackages(*before.manifest->embedded_lock);
  Make(before);
  for (const auto& name : names) EXPECT_TRUE(memory_->Peek(name)) << name;
  JobEnvironment after = Read();
  ASSERT_TRUE(FindEnvironment(*context_, after, {}));
  EXPECT_THAT(ObjectsToMake(*context_, after),
              ElementsAre(record::LockName(after.manifest->Key())));
}

TEST_F(MakeEnvironmentTest, LockFilePinsBaseImage) {
  JobEnvironment first = Read();
  StorePackages(*first.manifest->embedded_lock);
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
  JobEnvironment renewed = Read();
  ASSERT_TRUE(LockEnvironment(*context_, renewed, {.relock = true}, {}));
  EXPECT_EQ(renewed.lock->lock.base_image, kBaseDigest);
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
    StorePackages(*environment.manifest->embedded_lock);
    const auto lease = MakeSubmissionLease(*context_);
    const auto made =
        MakeEnvironment(*context_, environment, *lease, {.provisioning = &provisioning}, {});
    EXPECT_TRUE(made) << made.error().message;
  };
  make();
  EXPECT_EQ(asked->get_future().get(), kBase);
  make();
}

/// Same as MakeEnvironmentTest, but only pods can install packages.
class PackagesInClusterTest : public MakeEnvironmentTest {
 protected:
  PackagesInClusterTest() {
    context_.target().is_cluster = true;
    context_.target().build_packages = [this](const backend::PackageBuildLaunch& launch,
                                              Observer&) {
      launches_.push_back(launch);
      return Execute(launch);
    };
  }

  /// Acts as the pod, with packages that need no index.
  Status Execute(const backend::PackageBuildLaunch& launch) {
    if (refused_) return Failure(*refused_);
    const auto json = memory_->Peek(launch.request_name);
    EXPECT_TRUE(json);
    EXPECT_EQ(Sha256::Of(*json), launch.request_digest);
    auto build_request = env::BuildRequestFromJson(*json);
    EXPECT_TRUE(build_request) << build_request.error().message;
    build_requests_.push_back(*build_request);
    if (!build_request->lock) {
      build_request->lock = *Read().manifest->embedded_lock;
      build_request->lock->manifest_key = build_request->manifest.Key();
      EXPECT_TRUE(env::StoreLock(*memory_, *build_request->lock, {}));
    }
    if (!build_request->prefix.empty()) StorePackages(*build_request->lock);
    return {};
  }

  /// A project without a lock.
  JobEnvironment ReadUnlocked() {
    JobSpec spec;
    spec.run = Command{.shell = "", .argv = {"./work"}};
    spec.directory = context_.files() / "unlocked";
    context_.files().Write("unlocked/requirements.txt",
                           "--index-url http://ana:geheim@h/simple\nhumanize\nidna\n");
    spec.pod = *Value::FromJson(R"({"spec": {"tolerations": []}})");
    auto environment = ReadEnvironment(*context_, spec, spec.directory, std::nullopt);
    EXPECT_TRUE(environment) << environment.error().message;
    return *std::move(environment);
  }

  Status TryToMake(JobEnvironment& environment) {
    const auto lease = MakeSubmissionLease(*context_);
    return MakeEnvironment(*context_, environment, *lease, {}, {});
  }

  std::vector<backend::PackageBuildLaunch> launches_;
  std::vector<env::BuildRequest> build_requests_;
  std::optional<Error> refused_;
};

TEST_F(PackagesInClusterTest, ResolvesAndFetchesInOnePod) {
  JobEnvironment environment = ReadUnlocked();
  Make(environment);
  ASSERT_EQ(build_requests_.size(), 1U);
  EXPECT_FALSE(build_requests_[0].lock);
  EXPECT_EQ(build_requests_[0].prefix, pod::kEnvironmentFolder);
  EXPECT_EQ(build_requests_[0].base_digest, kBaseDigest);
  EXPECT_EQ(launches_[0].image, kBase);
  EXPECT_EQ(launches_[0].pod, *Value::FromJson(R"({"spec": {"tolerations": []}})"));
  EXPECT_TRUE(environment.ready->built);
  JobEnvironment again = ReadUnlocked();
  Make(again);
  EXPECT_FALSE(again.ready->built);
  EXPECT_EQ(build_requests_.size(), 1U);
}

TEST_F(PackagesInClusterTest, FetchesPackagesOfLockFile) {
  JobEnvironment environment = Read();
  Make(environment);
  ASSERT_EQ(build_requests_.size(), 1U);
  ASSERT_TRUE(build_requests_[0].lock);
  EXPECT_EQ(build_requests_[0].lock->EnvironmentId(), environment.lock->lock.EnvironmentId());
  EXPECT_TRUE(environment.ready->built);
}

TEST_F(PackagesInClusterTest, SkipsStoredPackages) {
  JobEnvironment environment = Read();
  StorePackages(*environment.manifest->embedded_lock);
  Make(environment);
  EXPECT_THAT(build_requests_, IsEmpty());
}

/// Stores packages over a connection that would take days, unless there is no time limit.
class SlowUploadBuilder final : public env::EnvironmentBuilder {
 public:
  SlowUploadBuilder(std::shared_ptr<env::UploadEstimator> upload_estimator, test::FakeClock& clock)
      : estimator_(std::move(upload_estimator)), clock_(clock) {}

  Result<std::optional<env::ReadyEnvironment>> Find(const env::Lock&, std::stop_token) override {
    return std::optional<env::ReadyEnvironment>();
  }
  Result<env::ReadyEnvironment> Ensure(const env::Lock&, Observer*, std::stop_token) override {
    env::UploadEstimator::Upload sending(*estimator_, 1ULL << 40);
    clock_.Advance(std::chrono::seconds(10));
    sending.Add(1ULL << 30);
    if (estimator_->ExceedsLimit()) return Fail(ErrorCode::kDeadlineExceeded, "it would take days");
    return env::ReadyEnvironment();
  }

 private:
  std::shared_ptr<env::UploadEstimator> estimator_;
  test::FakeClock& clock_;
};

TEST_F(PackagesInClusterTest, ContinuesSlowUploadInPod) {
  context_->options.profile.kubernetes.package_builds = PackageBuilds::kHere;  // starts here
  const JobEnvironment environment = Read();
  const auto ensure = [&] {
    const auto upload_estimator =
        std::make_shared<env::UploadEstimator>(clock_, std::chrono::seconds(90));
    return WithClusterPackages(*context_, environment,
                               std::make_unique<SlowUploadBuilder>(upload_estimator, clock_),
                               upload_estimator)
        ->Ensure(*environment.manifest->embedded_lock, nullptr, {});
  };
  auto ready = ensure();
  ASSERT_TRUE(ready) << ready.error().message;
  EXPECT_TRUE(ready->built);
  ASSERT_EQ(build_requests_.size(), 1U);
  EXPECT_TRUE(build_requests_[0].lock);
  refused_ = Error{ErrorCode::kPermissionDenied, "no", {}, {}};
  ready = ensure();
  ASSERT_TRUE(ready) << ready.error().message;
  EXPECT_FALSE(ready->built);
  refused_ = Error{ErrorCode::kCancelled, "stopped", {}, {}};
  EXPECT_EQ(ensure().error().code, ErrorCode::kCancelled);
}

TEST_F(PackagesInClusterTest, LocksWithoutPackages) {
  JobEnvironment environment = ReadUnlocked();
  ASSERT_TRUE(LockEnvironment(*context_, environment, {}, {}));
  ASSERT_EQ(build_requests_.size(), 1U);
  EXPECT_THAT(build_requests_[0].prefix, IsEmpty());
  EXPECT_FALSE(environment.lock->from_store);
}

TEST_F(PackagesInClusterTest, RelocksInPod) {
  JobEnvironment environment = ReadUnlocked();
  ASSERT_TRUE(LockEnvironment(*context_, environment, {.relock = true}, {}));
  ASSERT_EQ(build_requests_.size(), 1U);
  EXPECT_TRUE(build_requests_[0].renew);
}

TEST_F(PackagesInClusterTest, IsSkippedIfProfileDisablesIt) {
  context_->options.profile.kubernetes.package_builds = PackageBuilds::kHere;
  JobEnvironment environment = ReadUnlocked();
  const auto made = TryToMake(environment);
  ASSERT_FALSE(made);
  EXPECT_EQ(made.error().code, ErrorCode::kNotFound);  // no Python
  EXPECT_THAT(launches_, IsEmpty());
}

TEST_F(PackagesInClusterTest, StoresNoCredentials) {
  JobEnvironment environment = ReadUnlocked();
  Make(environment);
  ASSERT_EQ(launches_.size(), 1U);
  EXPECT_EQ(launches_[0].private_urls.size(), 1U);
  for (const auto& [name, info] : memory_->Objects()) {
    EXPECT_THAT(*memory_->Peek(name), Not(HasSubstr("geheim"))) << name;
  }
}

TEST_F(PackagesInClusterTest, FailureNamesLocalLog) {
  refused_ = Error{ErrorCode::kFailedPrecondition,
                   "resolving failed\n  no such package",
                   "look at the name; full log: /kinetic/cache/logs/x.log",
                   {}};
  JobEnvironment environment = ReadUnlocked();
  const auto made = TryToMake(environment);
  ASSERT_FALSE(made);
  EXPECT_EQ(made.error().message, refused_->message);
  const std::string logs = context_->options.cache_dir / "logs/cluster-";
  EXPECT_THAT(made.error().hint, HasSubstr("look at the name; full log: " + logs));
  EXPECT_THAT(made.error().hint, Not(HasSubstr("/kinetic/cache")));
}

TEST_F(PackagesInClusterTest, PlanShowsPackageBuild) {
  JobEnvironment unlocked = ReadUnlocked();
  ASSERT_TRUE(FindEnvironment(*context_, unlocked, {}));
  auto making = DescribePackagesInCluster(*context_, unlocked, false, {});
  ASSERT_TRUE(making);
  EXPECT_EQ(making->size(), 1U);
  Make(unlocked);
  JobEnvironment found = ReadUnlocked();
  ASSERT_TRUE(FindEnvironment(*context_, found, {}));
  making = DescribePackagesInCluster(*context_, found, false, {});
  ASSERT_TRUE(making);
  EXPECT_THAT(*making, IsEmpty());
  making = DescribePackagesInCluster(*context_, found, true, {});
  ASSERT_TRUE(making);
  EXPECT_EQ(making->size(), 1U);
  EXPECT_EQ(build_requests_.size(), 1U);
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

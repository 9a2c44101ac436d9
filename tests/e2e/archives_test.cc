#include "bundle/format/tree_codec.h"
#include "bundle/read/tree_loader.h"
#include "bundle/read/unpacker.h"
#include "env/install/package.h"
#include "env/packages/stored_packages.h"
#include "env/resolve/resolver.h"
#include "environment_harness.h"
#include "record/object_names.h"
#include "record/packages/objects.h"
#include "support/fake_clock.h"
#include "support/memory_store.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <filesystem>
#include <string>
#include <thread>
#include <vector>

namespace kinetic::env {
namespace {

using ::testing::Contains;
using ::testing::HasSubstr;
using ::testing::IsEmpty;

class Said final : public Observer {
 public:
  void OnOutput(Phase, std::string_view line) override { lines.emplace_back(line); }
  void OnWarning(std::string_view message) override { warnings.emplace_back(message); }
  std::vector<std::string> lines;
  std::vector<std::string> warnings;
};

/// Real uv, real packages from the network, and a store in memory.
class ArchivesTest : public EnvironmentTest {
 protected:
  /// A machine; each number stands for another one.
  ToolOptions Machine(int number) {
    ToolOptions tools = tools_;
    tools.cache_dir = tree_ / ("cache-" + std::to_string(number));
    return tools;
  }

  /// A machine that can neither resolve nor install.
  ToolOptions BareMachine() {
    ToolOptions tools = Machine(9);
    tools.search_path = "/nowhere";
    tools.environment.clear();  // a home directory may contain Pythons
    return tools;
  }

  Lock LockOf(const std::string& requirements) {
    auto lock = Resolve(ReadForPod(requirements), tools_, nullptr, {});
    EXPECT_TRUE(lock) << lock.error().message << lock.error().hint;
    return *std::move(lock);
  }

  Result<ReadyEnvironment> Ensure(const Lock& lock, const ToolOptions& tools) {
    return MakeArchivesBuilder({tools, {}, memory_, kPrefix})->Ensure(lock, &said_, {});
  }

  Digest Built(const Lock& lock, const ToolOptions& tools) {
    const auto ready = Ensure(lock, tools);
    EXPECT_TRUE(ready) << ready.error().message << ready.error().hint;
    EXPECT_TRUE(ready && ready->built);
    return ready ? ready->tree->digest : Digest();
  }

  Path Unpacked(const Digest& tree) {
    Path folder = tree_ / ("unpacked-" + std::to_string(unpacked_++));
    const auto laid = bundle::Unpack(memory_, {PosixFileSystem(), folder}, tree, {}, {});
    EXPECT_TRUE(laid) << laid.error().message;
    return folder;
  }

  std::vector<std::string> Names(std::string_view prefix) const {
    std::vector<std::string> names;
    for (const auto& [name, info] : memory_.Objects()) {
      if (name.starts_with(prefix)) names.push_back(name);
    }
    return names;
  }

  std::string PackageObject(const Lock& lock, std::size_t i) const {
    return record::PackageName(WheelKey(lock, lock.packages.at(i), kPrefix));
  }

  test::FakeClock clock_;
  test::MemoryStore memory_{clock_};
  Said said_;
  int unpacked_ = 0;
};

TEST_F(ArchivesTest, StoresPackagesOnceForClientsWithoutInstaller) {
  const Lock lock = LockOf("tabulate==0.9.0\nhumanize==4.9.0\n");
  const Digest tree = Built(lock, Machine(1));
  EXPECT_THAT(said_.lines, Contains(HasSubstr("humanize 4.9.0: ")));
  EXPECT_THAT(said_.warnings, IsEmpty());
  EXPECT_EQ(Names("packages/").size(), 2U);
  EXPECT_EQ(Names("environments/").size(), 1U);

  const Path folder = Unpacked(tree);
  const Path packages = folder / "lib/python3.12/site-packages";
  EXPECT_TRUE(std::filesystem::exists(packages / "humanize/__init__.py"));
  EXPECT_TRUE(std::filesystem::exists(packages / "tabulate/__init__.py"));
  EXPECT_TRUE(std::filesystem::exists(folder / "bin/tabulate"));

  const auto found = Ensure(lock, BareMachine());
  ASSERT_TRUE(found) << found.error().message;
  EXPECT_FALSE(found->built);
  EXPECT_EQ(found->tree->digest, tree);
  EXPECT_EQ(found->id, lock.EnvironmentId().Hex());
  EXPECT_GT(found->tree->files, 20U);
}

TEST_F(ArchivesTest, StoredPackagesNeedNoInstaller) {
  Built(LockOf("humanize==4.9.0\n"), Machine(1));
  Built(LockOf("idna==3.7\n"), Machine(1));
  const auto packs = Names("packs/");
  const Digest both = Built(LockOf("idna==3.7\nhumanize==4.9.0\n"), BareMachine());
  EXPECT_EQ(Names("packs/"), packs);
  EXPECT_EQ(Names("packages/").size(), 2U);
  EXPECT_TRUE(std::filesystem::exists(Unpacked(both) / "lib/python3.12/site-packages/idna"));
}

TEST_F(ArchivesTest, TwoMachinesStoreTheSame) {
  const Lock lock = LockOf("humanize==4.9.0\n");
  const Digest first = Built(lock, Machine(1));
  const auto names = Names("");
  for (const auto& name : Names("packages/")) memory_.Drop(name);
  for (const auto& name : Names("environments/")) memory_.Drop(name);
  EXPECT_EQ(Built(lock, Machine(2)), first);
  EXPECT_EQ(Names(""), names);
}

TEST_F(ArchivesTest, ConcurrentBuildsAreHarmless) {
  const Lock lock = LockOf("humanize==4.9.0\n");
  std::vector<Result<ReadyEnvironment>> ready(2, Fail(ErrorCode::kInternal, "not run"));
  {
    std::vector<std::jthread> machines;
    for (int i = 0; i < 2; ++i) {
      machines.emplace_back([&, i] {
        ready[static_cast<std::size_t>(i)] =
            MakeArchivesBuilder({Machine(i + 1), {}, memory_, kPrefix})->Ensure(lock, nullptr, {});
      });
    }
  }
  ASSERT_TRUE(ready[0]) << ready[0].error().message;
  ASSERT_TRUE(ready[1]) << ready[1].error().message;
  EXPECT_EQ(ready[0]->tree->digest, ready[1]->tree->digest);
  Unpacked(ready[0]->tree->digest);
}

TEST_F(ArchivesTest, RebuildsMissingOrDamagedPackages) {
  const Lock lock = LockOf("humanize==4.9.0\n");
  const Digest tree = Built(lock, Machine(1));
  const auto spoil = [&](const std::string& name, std::string_view bytes) {
    memory_.Drop(name);
    if (bytes.empty()) return;
    ASSERT_TRUE(store::Overwrite(memory_, name, bytes, {}));
  };
  for (const auto& name : Names("trees/")) spoil(name, "");
  EXPECT_EQ(Built(lock, Machine(1)), tree);
  spoil(Names("environments/").at(0), "?");
  EXPECT_EQ(Built(lock, BareMachine()), tree);
  spoil(Names("environments/").at(0), "");
  spoil(PackageObject(lock, 0), "?");
  EXPECT_EQ(Built(lock, Machine(1)), tree);
  for (const auto& name : Names("packs/")) spoil(name, "");
  for (const auto& name : Names("trees/")) spoil(name, "");
  EXPECT_EQ(Built(lock, Machine(1)), tree);
  Unpacked(tree);
}

TEST_F(ArchivesTest, ReportsMissingInstaller) {
  const auto ready = Ensure(LockOf("humanize==4.9.0\n"), BareMachine());
  ASSERT_FALSE(ready);
  EXPECT_FALSE(ready.error().hint.empty());
  EXPECT_THAT(Names("environments/"), IsEmpty());
}

TEST_F(ArchivesTest, WarnsOfFilesInSeveralPackages) {
  const Lock lock = LockOf("humanize==4.9.0\nidna==3.7\n");
  Built(lock, Machine(1));
  // Another package has the same file as humanize, with other content.
  const auto humanize = record::ReadStoredPackage(memory_, PackageObject(lock, 0), {});
  const auto idna = record::ReadStoredPackage(memory_, PackageObject(lock, 1), {});
  ASSERT_TRUE(humanize && *humanize && idna && *idna);
  auto tree = bundle::LoadTree(memory_, (*idna)->tree, {});
  ASSERT_TRUE(tree);
  for (auto& entry : tree->entries) {
    if (entry.path.ends_with("idna/core.py")) {
      entry.path = "lib/python3.12/site-packages/humanize/__init__.py";
    }
  }
  std::sort(tree->entries.begin(), tree->entries.end(),
            [](const auto& a, const auto& b) { return a.path < b.path; });
  const Digest digest = bundle::TreeDigest(tree->entries);
  bundle::ContentLease lease(memory_, &bundle::ReferencesOf);
  ASSERT_TRUE(lease.PutTree(digest, *bundle::EncodeTree(*tree), {}));
  ASSERT_TRUE(record::WriteStoredPackage(memory_, PackageObject(lock, 1),
                                         DescribeTree("idna 3.7", *tree), {}));
  for (const auto& name : Names("environments/")) memory_.Drop(name);
  Built(lock, BareMachine());
  ASSERT_EQ(said_.warnings.size(), 1U);
  EXPECT_THAT(said_.warnings[0], HasSubstr("humanize/__init__.py"));
}

}  // namespace
}  // namespace kinetic::env

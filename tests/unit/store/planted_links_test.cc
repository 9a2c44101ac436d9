// Replaces each folder and file of a shared store by a link, and checks that no operation reaches
// what the link points to.

#include "store/folder_store.h"
#include "store/source.h"
#include "support/fake_clock.h"
#include "support/temp_tree.h"

#include <gtest/gtest.h>

#include <functional>
#include <map>
#include <utility>

namespace kinetic::store {
namespace {

using NamedOperation = std::function<void(Store&, const std::string& name)>;

constexpr std::string_view kVictim = "jobs/victim/attempts/1/log";

/// The content and metadata of all files below a folder.
std::map<std::string, std::pair<std::string, std::int64_t>> Contents(const test::TempTree& tree) {
  std::map<std::string, std::pair<std::string, std::int64_t>> contents;
  for (const auto& entry : std::filesystem::recursive_directory_iterator(tree.path())) {
    const auto status = PosixFileSystem().Lstat(entry.path());
    const std::string name = entry.path().lexically_relative(tree.path()).native();
    contents[name] = {entry.is_regular_file() ? tree.Read(name) : "folder", status->mtime_ns};
  }
  return contents;
}

const std::map<std::string, NamedOperation>& LinkOperations() {
  static const std::map<std::string, NamedOperation> operations = {
      {"create",
       [](Store& store, const std::string& name) {
         (void)PutBytes(store, name + ".new", "planted", Precondition::Absent(), {});
       }},
      {"overwrite",
       [](Store& store, const std::string& name) { (void)Overwrite(store, name, "planted", {}); }},
      {"get",
       [](Store& store, const std::string& name) {
         const auto bytes = GetBytes(store, name, {});
         EXPECT_FALSE(bytes && *bytes && **bytes == "precious");
       }},
      {"touch", [](Store& store, const std::string& name) { (void)store.Touch(name, {}, {}); }},
      {"remove",
       [](Store& store, const std::string& name) {
         // As a collector that saw the object before the link was planted.
         ObjectInfo seen{.name = name, .generation = 1, .metageneration = 1};
         const auto now = store.Stat(name, {});
         if (now && *now) seen = **now;
         (void)store.RemoveIfUnchanged(seen, {});
       }},
      {"list and remove",
       [](Store& store, const std::string& name) {
         const std::string prefix = name.substr(0, name.find('/', 5));
         std::vector<ObjectInfo> seen;
         (void)store.List(prefix, "",
                          [&](const ObjectInfo& info) -> Result<bool> {
                            seen.push_back(info);
                            return true;
                          },
                          {});
         for (const ObjectInfo& info : seen) (void)store.RemoveIfUnchanged(info, {});
       }},
      {"remove leftovers",
       [](Store& store, const std::string&) { (void)store.RemoveLeftovers({}); }},
  };
  return operations;
}

/// Plants a link at `component` of a new store and returns what happened outside the store.
void PlantAndRun(std::string_view component, const NamedOperation& operation) {
  const test::TempTree outside;
  outside.Write("log", "precious");
  outside.Write("1/log", "precious");
  outside.Write("attempts/1/log", "precious");
  outside.Write("victim/attempts/1/log", "precious");
  const auto before = Contents(outside);

  const test::TempTree tree;
  test::FakeClock clock;
  FolderStore store(tree.path(), PosixFileSystem(), clock);
  ASSERT_TRUE(PutBytes(store, kVictim, "object", Precondition::Absent(), {}));
  ASSERT_TRUE(store.Touch(kVictim, {}, {}));
  std::filesystem::remove_all(tree / component);
  const bool is_file = component == kVictim;
  tree.MakeLink(component, is_file ? outside / "log" : outside.path());
  clock.Advance(std::chrono::hours(24 * 365 * 50));
  operation(store, std::string(kVictim));
  EXPECT_EQ(Contents(outside), before);
}

TEST(PlantedLinks, NoOperationLeavesTheStore) {
  for (const std::string component :
       {"jobs", "jobs/victim", "jobs/victim/attempts", "jobs/victim/attempts/1",
        "jobs/victim/attempts/1/log", ".tmp", ".locks"}) {
    for (const auto& [label, operation] : LinkOperations()) {
      SCOPED_TRACE(label + " with a link at " + component);
      PlantAndRun(component, operation);
    }
  }
}

TEST(PlantedLinks, ALinkThatHidesAnObjectHidesNoOther) {
  const test::TempTree outside;
  const test::TempTree tree;
  test::FakeClock clock;
  FolderStore store(tree.path(), PosixFileSystem(), clock);
  ASSERT_TRUE(PutBytes(store, "jobs/a/record", "x", Precondition::Absent(), {}));
  ASSERT_TRUE(PutBytes(store, "jobs/c/record", "x", Precondition::Absent(), {}));
  tree.MakeLink("jobs/b", outside.path());
  std::vector<std::string> names;
  ASSERT_TRUE(store.List("jobs/", "",
                         [&](const ObjectInfo& info) -> Result<bool> {
                           names.push_back(info.name);
                           EXPECT_EQ(info.damage.empty(), info.name != "jobs/b");
                           return true;
                         },
                         {}));
  EXPECT_EQ(names, (std::vector<std::string>{"jobs/a/record", "jobs/b", "jobs/c/record"}));
}

TEST(PlantedLinks, AStoreMayItselfBeReachedThroughALink) {
  const test::TempTree tree;
  tree.MakeFolder("disk/store");
  tree.MakeLink("store", tree / "disk/store");
  test::FakeClock clock;
  FolderStore store(tree / "store", PosixFileSystem(), clock);
  ASSERT_TRUE(PutBytes(store, "a/b", "x", Precondition::Absent(), {}));
  EXPECT_EQ(tree.Read("disk/store/a/b"), "x");
}

}  // namespace
}  // namespace kinetic::store

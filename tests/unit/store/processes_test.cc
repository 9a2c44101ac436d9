// Several processes use one folder store.

#include "base/random.h"
#include "store/folder_store.h"
#include "store/open.h"
#include "store/source.h"
#include "support/temp_tree.h"

#include <gtest/gtest.h>

#include <sys/wait.h>
#include <unistd.h>

#include <csignal>
#include <functional>
#include <set>
#include <thread>
#include <vector>

namespace kinetic::store {
namespace {

constexpr int kProcesses = 6;

class ProcessTest : public testing::Test {
 protected:
  ProcessTest() { std::filesystem::create_directory(tree_ / "store"); }

  FolderStore MakeStore() { return {tree_ / "store", PosixFileSystem(), SystemClock()}; }

  /// Runs `body` in several processes at once and returns their exit codes. gtest assertions do not
  /// work across processes, so a body reports a failure with a code from 100 on.
  std::vector<int> Race(const std::function<int(FolderStore& store, int number)>& body) {
    int gate[2];
    EXPECT_EQ(::pipe(gate), 0);
    std::vector<pid_t> children;
    for (int number = 0; number < kProcesses; ++number) {
      const pid_t child = ::fork();
      if (child == 0) {
        char byte = 0;
        ::close(gate[1]);
        (void)!::read(gate[0], &byte, 1);
        FolderStore store = MakeStore();
        ::_exit(body(store, number));
      }
      children.push_back(child);
    }
    ::close(gate[0]);
    ::close(gate[1]);
    std::vector<int> codes;
    for (const pid_t child : children) {
      int status = 0;
      EXPECT_EQ(::waitpid(child, &status, 0), child);
      EXPECT_TRUE(WIFEXITED(status));
      codes.push_back(WEXITSTATUS(status));
      EXPECT_LT(codes.back(), 100) << "process " << codes.size() - 1;
    }
    return codes;
  }

  static int Sum(const std::vector<int>& codes) {
    int sum = 0;
    for (const int code : codes) sum += code;
    return sum;
  }

  test::TempTree tree_;
};

TEST_F(ProcessTest, OneProcessCreates) {
  for (int round = 0; round < 20; ++round) {
    const std::string name = "jobs/" + std::to_string(round) + "/attempts/1/claim";
    const auto codes = Race([&](FolderStore& store, int number) {
      const auto put = PutBytes(store, name, std::to_string(number), Precondition::Absent(), {});
      if (!put) return 100;
      const auto seen = GetBytes(store, name, {});
      if (!seen || !*seen) return 101;
      return *put && **seen == std::to_string(number) ? 1 : 0;
    });
    EXPECT_EQ(Sum(codes), 1) << round;
  }
}

TEST_F(ProcessTest, LosesNoUpdate) {
  constexpr int kUpdates = 15;
  FolderStore store = MakeStore();
  ASSERT_TRUE(PutBytes(store, "counter", "0", Precondition::Absent(), {}));
  Race([](FolderStore& mine, int) {
    for (int i = 0; i < kUpdates;) {
      const auto seen = mine.Stat("counter", {});
      const auto value = GetBytes(mine, "counter", {});
      const auto check = mine.Stat("counter", {});
      if (!seen || !*seen || !value || !*value || !check || !*check) return 100;
      if ((*seen)->generation != (*check)->generation) continue;
      const auto put = PutBytes(mine, "counter", std::to_string(std::stoi(**value) + 1),
                                Precondition::Generation((*seen)->generation), {});
      if (!put) return 101;
      if (*put) ++i;
    }
    return 0;
  });
  const auto value = GetBytes(store, "counter", {});
  ASSERT_TRUE(value && *value);
  EXPECT_EQ(**value, std::to_string(kProcesses * kUpdates));
}

TEST_F(ProcessTest, OneProcessRemoves) {
  FolderStore store = MakeStore();
  for (int round = 0; round < 20; ++round) {
    ASSERT_TRUE(PutBytes(store, "packs/x/y", "", Precondition::Absent(), {}));
    const auto seen = store.Stat("packs/x/y", {});
    ASSERT_TRUE(seen && *seen);
    const auto codes = Race([&](FolderStore& mine, int) {
      const auto removed = mine.RemoveIfUnchanged(**seen, {});
      if (!removed) return 100;
      return *removed == Removal::kRemoved ? 1 : 0;
    });
    EXPECT_EQ(Sum(codes), 1) << round;
  }
}

TEST_F(ProcessTest, NeverRemovesATouchedObject) {
  FolderStore store = MakeStore();
  for (int round = 0; round < 20; ++round) {
    ASSERT_TRUE(Overwrite(store, "packs/p", "content", {}));
    const auto seen = store.Stat("packs/p", {});
    ASSERT_TRUE(seen && *seen);
    // Half of the processes touch the object, half remove it. If a touch succeeded, it must exist.
    const auto codes = Race([&](FolderStore& mine, int number) {
      if (number % 2 == 0) {
        const auto touched = mine.Touch("packs/p", {}, {});
        if (!touched) return 100;
        return *touched ? 1 : 0;
      }
      return mine.RemoveIfUnchanged(**seen, {}) ? 0 : 101;
    });
    const auto after = store.Stat("packs/p", {});
    ASSERT_TRUE(after);
    EXPECT_EQ(after->has_value(), Sum(codes) > 0) << round;
  }
}

TEST_F(ProcessTest, EveryCreatedObjectIsRemovedOnce) {
  const auto codes = Race([](FolderStore& mine, int) {
    int balance = 50;
    for (int i = 0; i < 60; ++i) {
      const auto put = PutBytes(mine, "jobs/k/attempts/1/claim", "x", Precondition::Absent(), {});
      if (!put) return 100;
      if (*put) ++balance;
      const auto seen = mine.Stat("jobs/k/attempts/1/claim", {});
      if (!seen) return 101;
      if (!*seen) continue;
      const auto removed = mine.RemoveIfUnchanged(**seen, {});
      if (!removed) return 102;
      if (*removed == Removal::kRemoved) --balance;
    }
    return balance;
  });
  FolderStore store = MakeStore();
  const auto left = store.Stat("jobs/k/attempts/1/claim", {});
  ASSERT_TRUE(left);
  EXPECT_EQ(Sum(codes) - kProcesses * 50, *left ? 1 : 0);
}

TEST_F(ProcessTest, AllProcessesOpenANewStore) {
  for (int round = 0; round < 10; ++round) {
    const std::string location = (tree_ / ("new" + std::to_string(round))).native();
    Race([&](FolderStore&, int) {
      return Open(location, {PosixFileSystem(), SystemClock()}, {}) ? 0 : 100;
    });
  }
}

TEST_F(ProcessTest, AKilledWriterLeavesWholeObjects) {
  FolderStore store = MakeStore();
  ASSERT_TRUE(Overwrite(store, "status", std::string(100'000, 'a'), {}));
  for (int round = 0; round < 30; ++round) {
    const pid_t child = ::fork();
    if (child == 0) {
      FolderStore mine = MakeStore();
      for (char c = 'a';; c = c == 'z' ? 'a' : static_cast<char>(c + 1)) {
        (void)Overwrite(mine, "status", std::string(100'000, c), {});
        (void)mine.Touch("status", {}, {});
      }
    }
    std::this_thread::sleep_for(std::chrono::microseconds(500 + RandomBelow(8000)));
    ASSERT_EQ(::kill(child, SIGKILL), 0);
    ASSERT_EQ(::waitpid(child, nullptr, 0), child);
    const auto bytes = GetBytes(store, "status", {});
    ASSERT_TRUE(bytes && *bytes);
    EXPECT_EQ((*bytes)->size(), 100'000U);
    EXPECT_EQ(std::set<char>((*bytes)->begin(), (*bytes)->end()).size(), 1U);
    // A dead process holds no lock.
    EXPECT_TRUE(Overwrite(store, "status", **bytes, {}));
  }
}

}  // namespace
}  // namespace kinetic::store

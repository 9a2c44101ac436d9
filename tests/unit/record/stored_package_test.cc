#include "record/stored_package.h"

#include "record/layout.h"
#include "support/fake_clock.h"
#include "support/memory_store.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

namespace kinetic::record {
namespace {

using std::chrono::hours;
using testing::ElementsAre;

class StoredPackageTest : public testing::Test {
 protected:
  static StoredPackage Numpy() { return {"numpy 2.1.0", Sha256::Of("numpy"), 42, 1000}; }

  test::FakeClock clock_;
  test::MemoryStore store_{clock_};
  const std::string name_ = PackageName(Sha256::Of("key"));
};

TEST_F(StoredPackageTest, ComesBackAsItWasWritten) {
  ASSERT_TRUE(WriteStoredPackage(store_, name_, Numpy(), {}));
  const auto read = ReadStoredPackage(store_, name_, {});
  ASSERT_TRUE(read) << read.error().message;
  EXPECT_EQ(**read, Numpy());
}

TEST_F(StoredPackageTest, OneThatIsNotThereIsNoError) {
  const auto read = ReadStoredPackage(store_, name_, {});
  ASSERT_TRUE(read);
  EXPECT_FALSE(*read);
}

TEST_F(StoredPackageTest, ADamagedOneIsNamed) {
  ASSERT_TRUE(store::Overwrite(store_, name_, "{\"version\": 9}", {}));
  const auto read = ReadStoredPackage(store_, name_, {});
  ASSERT_FALSE(read);
  EXPECT_EQ(read.error().code, ErrorCode::kDataLoss);
  EXPECT_THAT(read.error().message, testing::HasSubstr(name_));
}

TEST_F(StoredPackageTest, KeepsItsTreeForAWhileAfterItsLastUse) {
  ASSERT_TRUE(WriteStoredPackage(store_, name_, Numpy(), {}));
  ASSERT_TRUE(store::Overwrite(store_, PackageName(Sha256::Of("damaged")), "?", {}));
  clock_.Advance(hours(24 * 20));
  EXPECT_THAT(*TreesOfPackages(store_, hours(24 * 30), {}), ElementsAre(Sha256::Of("numpy")));
  ASSERT_TRUE(ReadStoredPackage(store_, name_, {}));
  clock_.Advance(hours(24 * 20));
  EXPECT_THAT(*TreesOfPackages(store_, hours(24 * 30), {}), ElementsAre(Sha256::Of("numpy")));
  clock_.Advance(hours(24 * 20));
  EXPECT_THAT(*TreesOfPackages(store_, hours(24 * 30), {}), ElementsAre());
}

}  // namespace
}  // namespace kinetic::record

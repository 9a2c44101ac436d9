#include "record/object_names.h"
#include "record/packages/objects.h"
#include "support/fake_clock.h"
#include "support/memory_store.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

namespace kinetic::record {
namespace {

class StoredPackageTest : public testing::Test {
 protected:
  static StoredPackage Numpy() { return {"numpy 2.1.0", Sha256::Of("numpy"), 42, 1000}; }

  test::FakeClock clock_;
  test::MemoryStore store_{clock_};
  const std::string name_ = PackageName(Sha256::Of("key"));
};

TEST_F(StoredPackageTest, RoundTrips) {
  ASSERT_TRUE(WriteStoredPackage(store_, name_, Numpy(), {}));
  const auto read = ReadStoredPackage(store_, name_, {});
  ASSERT_TRUE(read) << read.error().message;
  EXPECT_EQ(**read, Numpy());
}

TEST_F(StoredPackageTest, ReturnsNulloptForAMissingDocument) {
  const auto read = ReadStoredPackage(store_, name_, {});
  ASSERT_TRUE(read);
  EXPECT_FALSE(*read);
}

TEST_F(StoredPackageTest, ReportsDamage) {
  ASSERT_TRUE(store::Overwrite(store_, name_, "{\"version\": 9}", {}));
  const auto read = ReadStoredPackage(store_, name_, {});
  ASSERT_FALSE(read);
  EXPECT_EQ(read.error().code, ErrorCode::kDataLoss);
  EXPECT_THAT(read.error().message, testing::HasSubstr(name_));
}

}  // namespace
}  // namespace kinetic::record

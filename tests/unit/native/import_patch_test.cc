#include "native/import_patch.h"

#include <gtest/gtest.h>

#include <dlfcn.h>
#include <unistd.h>

namespace kinetic::native {
namespace {

pid_t Replacement() { return 42; }

TEST(ImportPatchTest, ReplacesAFunctionOfALibrary) {
  const pid_t parent = ::getppid();
  ASSERT_NE(parent, 42);
  // Not &::getppid, which the compiler may read again after the change.
  auto* const original = reinterpret_cast<void (*)()>(::dlsym(RTLD_DEFAULT, "getppid"));
  EXPECT_GT(ReplaceImport("getppid", reinterpret_cast<void (*)()>(&Replacement)), 0U);
  EXPECT_EQ(::getppid(), 42);
  ReplaceImport("getppid", original);
  EXPECT_EQ(::getppid(), parent);
}

TEST(ImportPatchTest, FindsNoOtherFunction) {
  EXPECT_EQ(ReplaceImport("no_such_function", reinterpret_cast<void (*)()>(&Replacement)), 0U);
}

}  // namespace
}  // namespace kinetic::native

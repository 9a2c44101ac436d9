#include "native/control.h"

#include "support/temp_tree.h"

#include <gtest/gtest.h>

#include <fcntl.h>
#include <unistd.h>

namespace kinetic::native {
namespace {

TEST(Control, DoesNotWriteToReusedDescriptor) {
  const test::TempTree tree;
  const int file = ::open(tree.Write("own", "").c_str(), O_WRONLY | O_CLOEXEC);
  ASSERT_GE(file, 0);
  const int closed = ::fcntl(file, F_DUPFD_CLOEXEC, 0);
  ::close(closed);
  Control control(closed);
  ASSERT_EQ(::dup2(file, closed), closed);
  control.Started();
  control.Returned(1);
  EXPECT_EQ(tree.Read("own"), "");
  ::close(closed);
  ::close(file);
}

}  // namespace
}  // namespace kinetic::native

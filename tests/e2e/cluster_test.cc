#include "support/cluster.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

namespace kinetic::test {
namespace {

using testing::HasSubstr;

TEST_F(ClusterTest, NamespaceRunsPods) {
  const std::string ns = "--namespace=" + name_space();
  cluster().Kubectl({"run", "hello", ns, "--image=" + TestImage("python"), "--restart=Never",
                     "--command", "--", "python3", "-c", "print('from a pod')"});
  cluster().Kubectl(
      {"wait", ns, "pod/hello", "--for=jsonpath={.status.phase}=Succeeded", "--timeout=300s"});
  EXPECT_EQ(cluster().Kubectl({"logs", ns, "hello"}), "from a pod\n");
}

TEST_F(ClusterTest, ReportsErrorsOfApiServer) {
  try {
    cluster().Kubectl({"get", "pod", "missing", "--namespace=" + name_space()});
    FAIL() << "there is no such pod";
  } catch (const std::runtime_error& error) {
    EXPECT_THAT(error.what(), HasSubstr("pods \"missing\" not found"));
  }
}

}  // namespace
}  // namespace kinetic::test

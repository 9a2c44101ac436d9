#include "backend/kubernetes/manifest/pod_fields.h"
#include "base/files/file_system.h"
#include "support/source_folder.h"

#include <gtest/gtest.h>

#include <string>

namespace kinetic::backend {
namespace {

/// The cases that tests/e2e/cluster_manifests_test.py also passes to kubectl.
TEST(StrategicMerge, MatchesKubectl) {
  const Path file = test::SourceFolder() / "tests/golden/strategic_merge/cases.json";
  const auto text = ReadFile(PosixFileSystem(), file, 1 << 20);
  ASSERT_TRUE(text) << text.error().message;
  const auto cases = Value::FromJson(*text);
  ASSERT_TRUE(cases) << cases.error().message;
  ASSERT_GE(cases->AsList()->size(), 14U);
  for (const Value& each : *cases->AsList()) {
    SCOPED_TRACE(*each.Find("name")->AsString());
    const auto merged = StrategicMerge(*each.Find("original"), *each.Find("patch"));
    ASSERT_TRUE(merged) << merged.error().message;
    EXPECT_EQ(merged->ToJson(true), each.Find("merged")->ToJson(true));
  }
}

}  // namespace
}  // namespace kinetic::backend

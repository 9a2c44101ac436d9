#include "kube/object.h"
#include "unit/kube/scripted_client.h"

namespace kinetic::test {
namespace {

using KubeSizesTest = KubeTest;

Value With(const std::string& area, const std::string& key, std::size_t bytes) {
  Value inner{Value::Map{}};
  inner.Set(key, std::string(bytes, 'A'));
  Value object{Value::Map{}};
  object.Set("kind", "Secret");
  object.Set(area, std::move(inner));
  return object;
}

TEST_F(KubeSizesTest, DataIsMeasuredDecoded) {
  constexpr std::size_t kEncoded = (1U << 20) / 3 * 4;
  EXPECT_TRUE(kube::CheckSize(With("data", "k", kEncoded), 0));
  EXPECT_FALSE(kube::CheckSize(With("data", "k", kEncoded + 8), 0));
  EXPECT_TRUE(kube::CheckSize(With("stringData", "k", 1U << 20), 0));
  const auto large = kube::CheckSize(With("stringData", "k", (1U << 20) + 3), 0);
  ASSERT_FALSE(large);
  EXPECT_EQ(large.error().code, ErrorCode::kInvalidArgument);
  EXPECT_NE(large.error().message.find("1048579 bytes, 3 more"), std::string::npos)
      << large.error().message;
}

TEST_F(KubeSizesTest, AnnotationsAreMeasuredWithTheirKeys) {
  const auto with = [](std::size_t bytes) {
    Value object{Value::Map{}};
    object.Set("metadata", With("annotations", "key", bytes));
    return object;
  };
  EXPECT_TRUE(kube::CheckSize(with((256U << 10) - 3), 0));
  EXPECT_FALSE(kube::CheckSize(with((256U << 10) - 2), 0));
  Value pod_template{Value::Map{}};
  pod_template.Set("template", with(256U << 10));
  Value job{Value::Map{}};
  job.Set("spec", std::move(pod_template));
  EXPECT_FALSE(kube::CheckSize(job, 0));
}

TEST_F(KubeSizesTest, DoesNotSendLargeObjects) {
  Value object = Json(R"({"metadata":{"name":"a"}})");
  object.Set("spec", std::string(3U << 19, 'x'));
  const auto made = client_.Create(kube::kJobs, "ml", object, {});
  ASSERT_FALSE(made);
  EXPECT_EQ(made.error().code, ErrorCode::kInvalidArgument);
  EXPECT_TRUE(made.error().message.starts_with("creating job a in namespace ml: the object has"))
      << made.error().message;
  EXPECT_TRUE(transport_.sent().empty());
}

}  // namespace
}  // namespace kinetic::test

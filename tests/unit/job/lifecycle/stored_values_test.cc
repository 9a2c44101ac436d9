#include "job/lifecycle/stored_values.h"

#include "json/npy.h"

#include <gtest/gtest.h>

#include <cstdint>
#include <string>
#include <vector>

namespace kinetic::job {
namespace {

Result<kinetic::Bytes> Read(std::string_view reference, std::uint64_t size_bytes) {
  EXPECT_EQ(size_bytes, reference == "bytes" ? 3U : 0U);
  if (reference == "array") {
    const std::vector<float> items{1.5, -2};
    const std::string_view bytes(reinterpret_cast<const char*>(items.data()), 8);
    return kinetic::Bytes(json::WriteNpy({'f', 4}, bytes, {2, 1}));
  }
  if (reference == "bytes") return kinetic::Bytes("abc");
  return Fail(ErrorCode::kDataLoss, "no " + std::string(reference));
}

Value Parse(std::string_view text) { return Value::FromJson(text).value(); }

TEST(LoadContent, ReplacesReferencesByTheirContent) {
  Value value = Parse(R"({"w":[{"$array":{"$ref":"array","dtype":"float32","shape":[2,1]}}],)"
                      R"("b":{"$bytes":{"$ref":"bytes","size_bytes":3}},"n":1})");
  ASSERT_TRUE(LoadContent(value, Read));
  EXPECT_EQ(value.As<NdArray<float>>("w", 0).value(), (NdArray<float>{{1.5, -2}, {2, 1}}));
  EXPECT_EQ(value.As<kinetic::Bytes>("b").value(), kinetic::Bytes("abc"));
  EXPECT_EQ(value.As<int>("n").value(), 1);
}

TEST(LoadContent, LeavesOtherMapsUnchanged) {
  for (const std::string_view text :
       {R"({"$ref":"bytes"})", R"({"$bytes":"YWJj"})", R"({"$array":{"$ref":1}})",
        R"({"$array":{"$ref":"array"},"x":1})", R"({"$dataclass":{"$ref":"bytes"}})"}) {
    Value value = Parse(text);
    ASSERT_TRUE(LoadContent(value, Read));
    EXPECT_EQ(value.ToJson(), text);
  }
}

TEST(LoadContent, ReturnsTheErrorOfTheReader) {
  Value value = Parse(R"([{"$bytes":{"$ref":"gone"}}])");
  const Status loaded = LoadContent(value, Read);
  ASSERT_FALSE(loaded);
  EXPECT_EQ(loaded.error().message, "no gone");
}

}  // namespace
}  // namespace kinetic::job

#include "unit/gcs/scripted_client.h"

namespace kinetic::test {
namespace {

TEST_F(GcsTest, DeleteSendsPreconditions) {
  transport_.Answer(204).Answer(404).Answer(412);
  using enum gcs::Client::DeleteResult;
  const gcs::Preconditions seen{.if_generation = 7, .if_metageneration = 2};
  EXPECT_EQ(*client_.Delete("x", seen, {}), kDeleted);
  EXPECT_EQ(*client_.Delete("x", seen, {}), kAbsent);
  EXPECT_EQ(*client_.Delete("x", seen, {}), kPreconditionFailed);
  EXPECT_TRUE(transport_.sent().at(0).url.ends_with("ifGenerationMatch=7&ifMetagenerationMatch=2"));
}

TEST_F(GcsTest, DeleteWithoutPreconditionsIsNotRetried) {
  transport_.Fail(Reset());
  EXPECT_FALSE(client_.Delete("x", {}, {}));
  EXPECT_TRUE(transport_.Done());
}

TEST_F(GcsTest, PatchReturnsNulloptIfAPreconditionFails) {
  transport_.Answer(412).Answer(200, Resource("x", "")).Answer(404).Answer(200, Resource("x", ""));
  EXPECT_FALSE(*client_.Patch("x", Value(Value::Map{}), {.if_metageneration = 1}, {}));
  EXPECT_FALSE(*client_.Patch("x", Value(Value::Map{}), {}, {}));
  EXPECT_TRUE(*client_.Patch("x", Value(Value::Map{}), {}, {}));
}

TEST_F(GcsTest, ComposeSendsGenerations) {
  transport_.Answer(200, Resource("whole", "ab"));
  gcs::Object part;
  part.name = "p/1";
  part.generation = 3;
  ASSERT_TRUE(*client_.Compose({part}, "whole", {.if_generation = 0}, {}));
  const auto sent = transport_.sent().at(0);
  EXPECT_NE(sent.url.find("/o/whole/compose?"), std::string::npos);
  EXPECT_NE(sent.body.find(R"({"name":"p/1","generation":"3"})"), std::string::npos) << sent.body;
}

TEST_F(GcsTest, StatReadsTheCustomTime) {
  transport_.Answer(200, Resource("x", "", R"(,"customTime":"2026-11-21T09:00:00.5Z")"));
  const auto object = client_.Stat("x", {});
  ASSERT_TRUE(object);
  EXPECT_TRUE((*object)->custom_time);
}

TEST_F(GcsTest, StatRetriesDamagedResponses) {
  transport_.Answer(200, R"({"name")").Answer(200, Resource("x", ""));
  EXPECT_TRUE(*client_.Stat("x", {}));
  for (int read = 0; read < 3; ++read) transport_.Answer(200, R"({"name")");
  const auto object = client_.Stat("x", {});
  ASSERT_FALSE(object);
  EXPECT_EQ(object.error().code, ErrorCode::kDataLoss);
  EXPECT_TRUE(transport_.Done());
}

}  // namespace
}  // namespace kinetic::test

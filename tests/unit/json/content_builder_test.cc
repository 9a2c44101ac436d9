#include "json/content_builder.h"

#include "json/content.h"
#include "json/npy.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <string>
#include <vector>

namespace kinetic::json {
namespace {

Bytes Build(std::string_view content, std::size_t piece, std::uint64_t size_bytes) {
  ContentBuilder builder(size_bytes);
  for (; !content.empty(); content.remove_prefix(std::min(piece, content.size())))
    builder.Append(content.substr(0, piece));
  return builder.Finish();
}

std::string Numbers(std::size_t count) {
  std::vector<double> items(count);
  for (std::size_t i = 0; i < count; ++i) items[i] = 0.25 * static_cast<double>(i);
  const std::string_view bytes(reinterpret_cast<const char*>(items.data()), count * sizeof(double));
  return WriteNpy({'f', 8}, bytes, {count});
}

bool HasItems(const Bytes& bytes) { return !Content::PiecesOf(bytes)[1].empty(); }

TEST(ContentBuilder, BytesAreThoseOfThePieces) {
  const std::string array = Numbers(100);
  for (const std::string& content : {array, std::string("text"), std::string(), array.substr(0, 20),
                                     array.substr(0, array.size() - 3), array + "rest"}) {
    for (const std::size_t piece : {std::size_t{1}, std::size_t{7}, std::size_t{1000}}) {
      for (const std::uint64_t size : {std::uint64_t{0}, std::uint64_t{content.size()},
                                       std::uint64_t{10}, std::uint64_t{1} << 40U}) {
        EXPECT_EQ(Build(content, piece, size).view(), content) << piece << " of " << size;
      }
    }
  }
}

TEST(ContentBuilder, ItemsOfAnArrayAreTakenWithoutACopy) {
  const std::string array = Numbers(100);
  Bytes bytes = Build(array, 7, array.size());
  ASSERT_TRUE(HasItems(bytes));
  const char* const items = Content::PiecesOf(bytes)[1].data();
  Value value = Value::Map{{"$npy", Value::Content(std::move(bytes))}};
  const auto taken = std::move(value).As<std::vector<double>>();
  ASSERT_TRUE(taken) << taken.error();
  EXPECT_EQ(reinterpret_cast<const char*>(taken->data()), items);
  EXPECT_EQ(taken->back(), 24.75);
}

TEST(ContentBuilder, OtherArraysStayText) {
  std::string columns = Numbers(4);
  columns.replace(columns.find("False"), 5, "True ");
  EXPECT_FALSE(HasItems(Build(columns, 1000, columns.size())));
  const std::string half = WriteNpy({'f', 2}, "1234", {2});
  EXPECT_FALSE(HasItems(Build(half, 1000, half.size())));
}

TEST(ContentBuilder, TruncatedArrayIsReported) {
  const std::string array = Numbers(100);
  const Value value = Value::Map{
      {"$npy", Value::Content(Build(array.substr(0, array.size() - 3), 1000, array.size()))}};
  const auto read = Value(value).As<std::vector<double>>();
  ASSERT_FALSE(read);
  EXPECT_EQ(read.error().message, "value: shape (100,) does not match 99 items");
}

}  // namespace
}  // namespace kinetic::json

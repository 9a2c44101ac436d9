#include "kinetic/from_value.h"

#include <gtest/gtest.h>

#include <cmath>
#include <limits>

namespace kinetic {
namespace {

/// Returns the message of a failed conversion.
template <typename T>
std::string MessageOf(const Result<T>& result) {
  return result ? "converted" : result.error().message;
}

/// Checks that a C++ value survives the way to JSON and back.
template <typename T>
void ExpectReturns(const T& value) {
  const auto again = Value::FromJson(Value(value).ToJson());
  ASSERT_TRUE(again) << again.error().message;
  const auto returned = again->As<T>();
  ASSERT_TRUE(returned) << returned.error().message;
  EXPECT_EQ(*returned, value);
  const auto unsent = Value(value).As<T>();
  ASSERT_TRUE(unsent) << unsent.error().message;
  EXPECT_EQ(*unsent, value);
}

template <typename T>
void ExpectReturnsLimits() {
  ExpectReturns(std::numeric_limits<T>::lowest());
  ExpectReturns(std::numeric_limits<T>::max());
  ExpectReturns(T{7});
}

TEST(FromValue, ReturnsTheLimitsOfEveryNumberType) {
  ExpectReturnsLimits<signed char>();
  ExpectReturnsLimits<unsigned char>();
  ExpectReturnsLimits<short>();
  ExpectReturnsLimits<unsigned short>();
  ExpectReturnsLimits<int>();
  ExpectReturnsLimits<unsigned>();
  ExpectReturnsLimits<long>();
  ExpectReturnsLimits<unsigned long>();
  ExpectReturnsLimits<long long>();
  ExpectReturnsLimits<unsigned long long>();
  ExpectReturnsLimits<std::size_t>();
  ExpectReturnsLimits<float>();
  ExpectReturnsLimits<double>();
}

TEST(FromValue, ReturnsContainersOfEveryDepth) {
  ExpectReturns(true);
  ExpectReturns(std::string("text"));
  ExpectReturns(std::vector<bool>{true, false});
  ExpectReturns(std::vector<std::string>{"a", ""});
  ExpectReturns(std::optional<int>());
  ExpectReturns(std::optional<int>(3));
  ExpectReturns(std::map<std::string, std::vector<std::optional<double>>>{
      {"a", {1.5, std::nullopt}}, {"b", {}}});
  ExpectReturns(std::vector<std::vector<unsigned>>{{1, 2}, {}});
}

TEST(FromValue, ConvertsTextOfEveryKind) {
  const std::string_view view = "text";
  const char array[] = "text";
  EXPECT_EQ(Value(view), Value("text"));
  EXPECT_EQ(Value(array), Value(std::string("text")));
}

TEST(FromValue, RejectsTypesThatWouldSurprise) {
  struct Type {};
  EXPECT_FALSE((std::is_convertible_v<char, Value>));
  EXPECT_FALSE((std::is_convertible_v<const int*, Value>));
  EXPECT_FALSE((std::is_convertible_v<char32_t, Value>));
  EXPECT_FALSE((std::is_convertible_v<std::vector<char>, Value>));
  EXPECT_FALSE((std::is_convertible_v<std::optional<Type>, Value>));
  EXPECT_FALSE((std::is_convertible_v<std::map<std::string, Type>, Value>));
}

TEST(FromValue, KeepsUnsignedValuesAbove63Bits) {
  const std::uint64_t big = std::numeric_limits<std::uint64_t>::max();
  EXPECT_EQ(Value(big).ToJson(), R"({"$int":"18446744073709551615"})");
  EXPECT_EQ(Value(std::uint64_t{INT64_MAX}).ToJson(), "9223372036854775807");
  EXPECT_EQ(*Value(big).As<double>(), 18446744073709551615.0);
}

TEST(FromValue, KeepsNumbersThatAreNotFinite) {
  EXPECT_EQ(Value(std::nan("")).ToJson(), R"({"$float":"nan"})");
  const double infinity = std::numeric_limits<double>::infinity();
  ExpectReturns(infinity);
  ExpectReturns(-infinity);
  EXPECT_TRUE(std::isnan(*Value::FromJson(Value(std::nan("")).ToJson())->As<float>()));
}

TEST(FromValue, ErrorsNameThePath) {
  const auto value = Value::FromJson(R"({"metrics":[{"loss":1},{"loss":"low"}],"n":300})");
  ASSERT_TRUE(value);
  EXPECT_EQ(MessageOf(value->As<double>("metrics", 1, "loss")),
            "value.metrics[1].loss: expected number, found string");
  using Metrics = std::vector<std::map<std::string, double>>;
  EXPECT_EQ(MessageOf(value->As<Metrics>("metrics")),
            "value.metrics[1].loss: expected number, found string");
  EXPECT_EQ(MessageOf(value->As<std::int8_t>("n")),
            "value.n: expected integer from -128 to 127, found 300");
  EXPECT_EQ(MessageOf(value->As<std::uint8_t>("n")),
            "value.n: expected integer from 0 to 255, found 300");
  EXPECT_EQ(MessageOf(value->As<std::string>()), "value: expected string, found map");
  EXPECT_EQ(MessageOf(Value(2.5).As<int>()), "value: expected integer, found number");
  EXPECT_EQ(MessageOf(Value(-1).As<std::size_t>()),
            "value: expected integer from 0 to 18446744073709551615, found -1");
  EXPECT_EQ(MessageOf(Value(~0ULL).As<std::int64_t>()),
            "value: expected integer from -9223372036854775808 to 9223372036854775807, found "
            "18446744073709551615");
}

TEST(FromValue, FindsPartsByKeyAndIndex) {
  const auto value = Value::FromJson(R"({"a":[1,{"b":2}]})");
  EXPECT_EQ(*value->As<int>("a", 0), 1);
  EXPECT_EQ(*value->As<int>("a", 1, std::string("b")), 2);
  const auto missing = value->As<int>("a", 2);
  EXPECT_EQ(missing.error().code, ErrorCode::kNotFound);
  EXPECT_EQ(missing.error().message, "value.a[2]: not found");
  EXPECT_EQ(MessageOf(value->As<int>("c")), "value.c: not found");
  EXPECT_EQ(MessageOf(value->As<int>("a", "b")), "value.a: expected map, found list");
  EXPECT_EQ(MessageOf(value->As<int>(0)), "value: expected list, found map");
  EXPECT_EQ(MessageOf(value->As<int>("e\nf")), "value.e\\x0af: not found");
}

TEST(FromValue, ReturnsPairsAndTuples) {
  ExpectReturns(std::pair<int, std::string>(3, "loss"));
  ExpectReturns(std::tuple<double, std::vector<int>, bool>(0.5, {1, 2}, true));
  ExpectReturns(std::vector<std::pair<int, int>>{{1, 2}, {3, 4}});
  ExpectReturns(std::tuple<>());
  EXPECT_EQ(Value(std::pair(1, "a")).ToJson(), R"({"$tuple":[1,"a"]})");
  EXPECT_EQ((*Value(Value::List{1, 2.5}).As<std::pair<int, double>>()), std::pair(1, 2.5));
  EXPECT_EQ((MessageOf(Value(Value::List{1, "x"}).As<std::pair<int, int>>())),
            "value[1]: expected integer, found string");
  EXPECT_EQ((MessageOf(Value(Value::List{1}).As<std::pair<int, int>>())),
            "value: expected 2 items, found 1");
  EXPECT_EQ(MessageOf(Value(1).As<std::tuple<int>>()), "value: expected tuple, found integer");
}

TEST(FromValue, ReturnsBytesAndMaps) {
  ExpectReturns(Bytes(std::string("\0\xff", 2)));
  ExpectReturns(Value::Map{{"b", 1}, {"a", "x"}});
  EXPECT_EQ(MessageOf(Value("YWJj").As<Bytes>()), "value: expected bytes, found string");
  EXPECT_EQ(MessageOf(Value::FromJson(R"({"$bytes":"?"})")->As<Bytes>()),
            "value: the bytes are not valid base64");
  EXPECT_EQ(MessageOf(Value::FromJson(R"({"$bytes":{"$ref":"00"}})")->As<Bytes>()),
            "value: the bytes are not part of the value");
}

TEST(FromValue, ReadsTuplesAsLists) {
  const auto value = Value::FromJson(R"({"$tuple":[1,2]})");
  EXPECT_EQ(*value->As<std::vector<int>>(), (std::vector<int>{1, 2}));
  EXPECT_EQ(*value->As<int>(1), 2);
  EXPECT_EQ(MessageOf(Value::FromJson(R"({"$datetime":"x"})")->As<std::vector<int>>()),
            "value: expected list, found datetime");
}

TEST(FromValue, ReturnsArrays) {
  ExpectReturns(NdArray<float>{{1, 2, 3, 4, 5, 6}, {2, 3}});
  ExpectReturns(NdArray<double>{{1.5}, {}});
  ExpectReturns(NdArray<std::uint8_t>{{}, {0, 3}});
  ExpectReturns(NdArray<std::int64_t>{{-1, 2}, {2}});
  const std::vector<std::int16_t> items{1, 2};
  EXPECT_EQ(*Value(std::span(items), {2, 1}).As<NdArray<std::int16_t>>(),
            (NdArray<std::int16_t>{items, {2, 1}}));
}

TEST(FromValue, ItemsOfAMovedArrayAreNotCopied) {
  NdArray<float> array{std::vector<float>(1000, 0.5F), {10, 100}};
  const NdArray<float> copy = array;
  const float* const items = array.items.data();
  Value value(std::move(array));
  EXPECT_EQ(value, Value(copy));
  EXPECT_EQ(value.ToJson(), Value(copy).ToJson());
  const auto read = value.As<NdArray<float>>();
  ASSERT_TRUE(read) << read.error();
  EXPECT_EQ(*read, copy);
  const auto taken = std::move(value).As<NdArray<float>>();
  ASSERT_TRUE(taken) << taken.error();
  EXPECT_EQ(*taken, copy);
  EXPECT_EQ(taken->items.data(), items);
}

TEST(FromValue, ItemsOfASharedArrayAreNotTaken) {
  Value value(NdArray<int>{{1, 2, 3}, {3}});
  const Value other = value;
  EXPECT_EQ(*std::move(value).As<std::vector<int>>(), (std::vector{1, 2, 3}));
  EXPECT_EQ(*other.As<std::vector<int>>(), (std::vector{1, 2, 3}));
}

TEST(FromValue, MovedArraysOfEveryTypeAreReturned) {
  const auto expect_returns = [](auto item) {
    using T = decltype(item);
    const NdArray<T> array{{T{1}, T{2}}, {2}};
    EXPECT_EQ(*Value(NdArray<T>(array)).As<NdArray<T>>(), array);
  };
  expect_returns(static_cast<signed char>(0));
  expect_returns(std::uint16_t{});
  expect_returns(0L);
  expect_returns(0LL);
  expect_returns(0ULL);
  expect_returns(0.0);
  const NdArray<double> empty{{}, {0, 3}};
  EXPECT_EQ(*Value(NdArray<double>(empty)).As<NdArray<double>>(), empty);
}

TEST(FromValue, MovedArrayWithAWrongShapeIsReported) {
  EXPECT_EQ(MessageOf(Value(NdArray<int>{{1, 2, 3}, {2, 2}}).As<NdArray<int>>()),
            "value: shape (2, 2) does not match 3 items");
}

TEST(FromValue, ReadsTheArraysOfResults) {
  const auto value = Value::FromJson(
      R"({"$array":{"$ref":"00","dtype":"float64","shape":[2,2],"items":[[1,2.5],[3,)"
      R"({"$float":"inf"}]]}})");
  const double infinity = std::numeric_limits<double>::infinity();
  EXPECT_EQ(*value->As<NdArray<double>>(), (NdArray<double>{{1, 2.5, 3, infinity}, {2, 2}}));
  EXPECT_EQ(MessageOf(value->As<NdArray<int>>()),
            "value: expected array of int32, found array of float64");
  EXPECT_EQ(*value->As<NdArray<float>>(),
            (NdArray<float>{{1, 2.5, 3, std::numeric_limits<float>::infinity()}, {2, 2}}));
  EXPECT_EQ(MessageOf(Value(1).As<NdArray<float>>()), "value: expected array, found integer");
  const auto large =
      Value::FromJson(R"({"w":{"$array":{"$ref":"00","dtype":"int32","shape":[1000]}}})");
  EXPECT_EQ(MessageOf(large->As<NdArray<std::int32_t>>("w")),
            "value.w: the items of the array are not part of the value");
  const auto wrong = Value::FromJson(R"({"$array":{"dtype":"int32","shape":[3],"items":[1,2]}})");
  EXPECT_EQ(MessageOf(wrong->As<NdArray<std::int32_t>>()),
            "value: shape (3,) does not match 2 items");
}

TEST(FromValue, ReadsTypedValuesAsTheirContent) {
  const auto value = Value::FromJson(
      R"({"w":{"$typed":{"type":"ml_dtypes.bfloat16","value":)"
      R"({"$array":{"$ref":"00","dtype":"float32","shape":[2],"items":[1,2.5]}}}},)"
      R"("last":{"$typed":{"type":"collections.deque","value":[1,2],"maxlen":2}},)"
      R"("counts":{"$typed":{"type":"collections.Counter","value":{"$dict":[["a",1]]}}},)"
      R"("b":{"$typed":{"type":"bytearray","value":{"$bytes":"YWJj"}}}})");
  EXPECT_EQ(*value->As<std::vector<float>>("w"), (std::vector<float>{1, 2.5}));
  EXPECT_EQ(*value->As<std::vector<int>>("last"), (std::vector<int>{1, 2}));
  EXPECT_EQ(*value->As<int>("counts", "a"), 1);
  EXPECT_EQ(value->As<Bytes>("b")->view(), "abc");
}

TEST(FromValue, ItemsOfArraysAreConvertedAsNumbersAre) {
  const std::vector<int> integers{1, -2, 300};
  const Value array(std::span<const int>(integers), {3});
  EXPECT_EQ(*array.As<std::vector<double>>(), (std::vector<double>{1, -2, 300}));
  EXPECT_EQ(*array.As<std::vector<std::int64_t>>(), (std::vector<std::int64_t>{1, -2, 300}));
  EXPECT_EQ(MessageOf(array.As<std::vector<std::int8_t>>()), "value: expected int8, found 300");
  EXPECT_EQ(MessageOf(array.As<std::vector<unsigned>>()), "value: expected uint32, found -2");
  const std::vector<double> numbers{0.5, 1e300};
  const Value large(std::span<const double>(numbers), {2});
  EXPECT_EQ(MessageOf(large.As<std::vector<float>>()), "value: expected float32, found 1e+300");
  EXPECT_EQ(MessageOf(large.As<std::vector<int>>()),
            "value: expected array of int32, found array of float64");
}

TEST(FromValue, NumberThatFloatCannotHoldIsReported) {
  EXPECT_EQ(MessageOf(Value(1e300).As<float>()),
            "value: expected number up to 3.40282e+38, found 1e+300");
  EXPECT_TRUE(std::isinf(*Value(std::numeric_limits<double>::infinity()).As<float>()));
}

TEST(FromValue, KeysOfMapsMayStartWithDollar) {
  ExpectReturns(std::map<std::string, std::string>{{"$int", "12"}});
  ExpectReturns(std::map<std::string, int>{{"$a", 1}, {"b", 2}});
  const Value numbered = Value::Map{{"$dict", Value::List{Value::List{1, "one"}}}};
  EXPECT_EQ(MessageOf(numbered.As<std::map<std::string, std::string>>()),
            "value: expected map with strings as keys, found another key");
}

TEST(FromValue, FieldsOfPythonObjectsAreMembers) {
  const Value object =
      *Value::FromJson(R"({"$dataclass":{"type":"m.Metrics","fields":{"loss":0.5,"name":"x"}}})");
  EXPECT_EQ(*object.As<double>("loss"), 0.5);
  EXPECT_EQ(object.As<Value::Map>()->size(), 2U);
  EXPECT_EQ(MessageOf(object.As<int>("other")), "value.other: not found");
  EXPECT_EQ(object.As<int>("losss").error().hint, "did you mean loss?");
}

TEST(FromValue, StdArrayHasItsLength) {
  EXPECT_EQ((*Value(std::vector{1, 2}).As<std::array<int, 2>>()), (std::array{1, 2}));
  EXPECT_EQ(MessageOf(Value(std::vector{1, 2}).As<std::array<int, 3>>()),
            "value: expected 3 items, found 2");
}

TEST(FromValue, NegativeIndexIsNotFound) {
  EXPECT_EQ(MessageOf(Value(std::vector{1}).As<int>(-1)), "value[-1]: not found");
}

}  // namespace
}  // namespace kinetic

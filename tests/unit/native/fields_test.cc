#include "kinetic/fields.h"

#include <gmock/gmock.h>

#include <array>
#include <complex>
#include <cstdint>
#include <limits>

namespace kinetic {

template <>
struct FromValue<std::complex<double>> {
  static Result<std::complex<double>> Read(const Value& value, const ValuePath& at) {
    const auto parts = FromValue<std::array<double, 2>>::Read(value, at);
    if (!parts) return Failure(parts.error());
    return std::complex<double>((*parts)[0], (*parts)[1]);
  }
  static Value Write(const std::complex<double>& number) {
    return Value::List{number.real(), number.imag()};
  }
};

namespace {

using ::testing::ElementsAre;

enum class Mode : std::uint8_t { kFast, kExact };

struct Layer {
  int width = 0;
  std::optional<double> dropout;
  bool operator==(const Layer&) const = default;
};
KINETIC_FIELDS(Layer, width, dropout);

struct Options {
  double rate = 0.1;
  std::string name;
  Mode mode = Mode::kFast;
  std::vector<Layer> layers;
  std::map<std::string, std::vector<bool>> flags;
  bool operator==(const Options&) const = default;
};
KINETIC_FIELDS(Options, rate, name, mode, layers, flags);

TEST(Fields, TuplesOfSuchTypesAreConverted) {
  const std::pair<Layer, Mode> pair{{.width = 3, .dropout = {}}, Mode::kExact};
  EXPECT_EQ((*ToValue(pair).As<std::pair<Layer, Mode>>()), pair);
  const std::tuple<int, std::vector<Layer>> tuple{1, {{.width = 2, .dropout = 0.5}}};
  EXPECT_EQ((*ToValue(tuple).As<std::tuple<int, std::vector<Layer>>>()), tuple);
}

struct Empty {
  bool operator==(const Empty&) const = default;
};
KINETIC_FIELDS(Empty);

TEST(Fields, TypeWithoutMembersIsEmptyMap) {
  EXPECT_EQ(ToValue(Empty()).ToJson(), "{}");
  EXPECT_EQ(*ToValue(Empty()).As<Empty>(), Empty());
}

TEST(Fields, LongRowsOfAListStayLists) {
  const std::vector<std::vector<int>> rows(2, std::vector<int>(300, 1));
  const Value value = ToValue(rows);
  ASSERT_NE(value.AsList(), nullptr);
  EXPECT_NE(value.AsList()->front().AsList(), nullptr);
  EXPECT_EQ(*value.As<std::vector<std::vector<int>>>(), rows);
}

TEST(Fields, TypeWithFieldsIsMapAndBack) {
  const Options options{.rate = 0.5,
                        .name = "ü",
                        .mode = Mode::kExact,
                        .layers = {{.width = 3, .dropout = 0.25}, {.width = 4, .dropout = {}}},
                        .flags = {{"a", {true, false}}}};
  const Value value = ToValue(options);
  EXPECT_EQ(value.ToJson(),
            R"({"rate":0.5,"name":"ü","mode":1,"layers":[{"width":3,"dropout":0.25},)"
            R"({"width":4,"dropout":null}],"flags":{"a":[true,false]}})");
  const auto read = value.As<Options>();
  ASSERT_TRUE(read) << read.error();
  EXPECT_EQ(*read, options);
}

TEST(Fields, MissingFieldIsReportedWithPath) {
  const Value value = Value::Map{{"rate", 1},
                                 {"name", "x"},
                                 {"mode", 0},
                                 {"layers", Value::List{Value::Map{{"dropout", 1}}}},
                                 {"flags", Value::Map{}}};
  const auto read = value.As<Options>();
  ASSERT_FALSE(read);
  EXPECT_EQ(read.error().code, ErrorCode::kNotFound);
  EXPECT_EQ(read.error().message, "value.layers[0].width: not found");
}

TEST(Fields, WrongTypeIsReportedWithPath) {
  const auto read = Value(Value::Map{{"width", "3"}}).As<Layer>();
  ASSERT_FALSE(read);
  EXPECT_EQ(read.error().message, "value.width: expected integer, found string");
  EXPECT_EQ(Value(3).As<Layer>().error().message, "value: expected map, found integer");
}

TEST(Fields, AbsentOptionalFieldKeepsItsDefault) {
  const auto read = Value(Value::Map{{"width", 3}, {"other", 1}}).As<Layer>();
  ASSERT_TRUE(read) << read.error();
  EXPECT_EQ(*read, Layer{.width = 3});
}

struct Batch {
  NdArray<float> images;
  std::vector<int> labels;
  bool operator==(const Batch&) const = default;
};
KINETIC_FIELDS(Batch, images, labels);

TEST(Fields, LongVectorOfNumbersIsArrayAndBack) {
  std::vector<double> numbers(1000);
  for (std::size_t i = 0; i < numbers.size(); ++i) numbers[i] = 0.1 * static_cast<double>(i);
  numbers[7] = std::numeric_limits<double>::infinity();
  const Value value = ToValue(numbers);
  EXPECT_NE(value.Find("$npy"), nullptr);
  const auto read = value.As<std::vector<double>>();
  ASSERT_TRUE(read) << read.error();
  EXPECT_EQ(*read, numbers);
  EXPECT_TRUE(value.As<std::vector<float>>());
  EXPECT_FALSE(value.As<std::vector<int>>());
}

TEST(Fields, ItemsOfMovedObjectsAreNotCopied) {
  std::map<std::string, Batch> batches;
  batches["a"] = {.images = {std::vector<float>(300, 1), {3, 100}},
                  .labels = std::vector<int>(300, 2)};
  const std::map<std::string, Batch> copy = batches;
  const float* const images = batches["a"].images.items.data();
  const int* const labels = batches["a"].labels.data();
  EXPECT_EQ(ToValue(batches), ToValue(copy));
  EXPECT_EQ(batches["a"].images.items.data(), images);
  Value value = ToValue(std::move(batches));
  EXPECT_EQ(value, ToValue(copy));
  const auto read = std::move(value).As<std::map<std::string, Batch>>();
  ASSERT_TRUE(read) << read.error();
  EXPECT_EQ(*read, copy);
  EXPECT_EQ(read->at("a").images.items.data(), images);
  EXPECT_EQ(read->at("a").labels.data(), labels);
}

TEST(Fields, ShortVectorOfNumbersIsList) {
  EXPECT_EQ(ToValue(std::vector<int>{1, 2}).ToJson(), "[1,2]");
  const Value value = ToValue(std::vector<double>{std::numeric_limits<double>::infinity()});
  const auto parsed = Value::FromJson(value.ToJson());
  ASSERT_TRUE(parsed);
  EXPECT_THAT(*parsed->As<std::vector<double>>(),
              ElementsAre(std::numeric_limits<double>::infinity()));
}

TEST(Fields, ArrayOfTwoDimensionsIsNoVector) {
  const Value value(NdArray<int>{.items = {1, 2, 3, 4}, .shape = {2, 2}});
  const auto read = value.As<std::vector<int>>();
  ASSERT_FALSE(read);
  EXPECT_EQ(read.error().message, "value: expected array of one dimension, found 2");
}

TEST(Fields, MapsOfValuesStayMaps) {
  const Value::Map map{{"loss", 0.5}, {"layers", Value::List{1, 2}}};
  EXPECT_EQ(ToValue(map), Value(map));
  EXPECT_EQ(ToValue(Value::List{1, "a"}), Value(Value::List{1, "a"}));
  EXPECT_EQ(*ToValue(map).As<Value::Map>(), map);
}

TEST(Fields, StdArrayIsListAndBack) {
  const std::array<Layer, 2> layers{Layer{.width = 1, .dropout = {}},
                                    Layer{.width = 2, .dropout = 0.5}};
  EXPECT_EQ((*ToValue(layers).As<std::array<Layer, 2>>()), layers);
}

TEST(Fields, TypeOfAnotherLibraryIsConvertedBySpecialization) {
  const std::map<std::string, std::complex<double>> roots{{"i", {0, 1}}};
  EXPECT_EQ(ToValue(roots).ToJson(), R"({"i":[0.0,1.0]})");
  EXPECT_EQ((*ToValue(roots).As<std::map<std::string, std::complex<double>>>()), roots);
}

}  // namespace
}  // namespace kinetic

#include "kinetic/codecs.h"

#include <gtest/gtest.h>

namespace kinetic {
namespace {

using namespace std::chrono_literals;
using std::chrono::system_clock;
using Days = std::chrono::duration<int, std::ratio<86'400>>;

template <typename T>
T RoundTrip(const T& object) {
  const Value value = ToValue(object);
  const Result<T> read = value.As<T>();
  EXPECT_TRUE(read) << value.ToJson();
  return read.value_or(T());
}

TEST(CodecsTest, ConvertsDurations) {
  EXPECT_EQ(ToValue(90s).ToJson(), R"({"$timedelta":[0,90,0]})");
  EXPECT_EQ(ToValue(-1500ms).ToJson(), R"({"$timedelta":[-1,86398,500000]})");
  EXPECT_EQ(ToValue(1ns).ToJson(), R"({"$timedelta":[0,0,0,1]})");
  for (const auto time : {0ns, 1ns, -1ns, 86'400'000'000'001ns, std::chrono::nanoseconds::max(),
                          std::chrono::nanoseconds::min()})
    EXPECT_EQ(RoundTrip(time), time);
  EXPECT_EQ(RoundTrip(Days(-7)), Days(-7));
  const std::chrono::duration<double> fraction(0.25);
  EXPECT_EQ(RoundTrip(fraction), fraction);
  EXPECT_EQ(*ToValue(2min).As<std::chrono::seconds>(), 120s);
}

TEST(CodecsTest, RejectsDurationsThatDoNotFit) {
  EXPECT_EQ(ToValue(1500ms).As<std::chrono::seconds>().error().message,
            "value: 1.5 s do not fit in the type, which counts units of 1 s");
  const Value longest = Value::Map{{"$timedelta", Value::List{999'999'999, 0, 0}}};
  EXPECT_FALSE(longest.As<std::chrono::nanoseconds>());
  EXPECT_FALSE(ToValue(Days(1) + 80ms).As<Days>());
  EXPECT_EQ(longest.As<Days>()->count(), 999'999'999);
  EXPECT_EQ(Value(3).As<std::chrono::seconds>().error().message,
            "value: expected timedelta, found integer");
  const Value damaged = Value::Map{{"$timedelta", Value::List{1, "2", 3}}};
  EXPECT_FALSE(damaged.As<std::chrono::seconds>());
}

TEST(CodecsTest, ConvertsTimes) {
  const system_clock::time_point time{1'700'000'000'123'456us};
  EXPECT_EQ(ToValue(time).ToJson(), R"({"$datetime":"2023-11-14T22:13:20.123456+00:00"})");
  EXPECT_EQ(RoundTrip(time), time);
  const Value zoned = Value::Map{{"$datetime", "2023-11-14T23:13:20.123456+01:00[Europe/Berlin]"}};
  EXPECT_EQ(*zoned.As<system_clock::time_point>(), time);
  EXPECT_FALSE((zoned.As<std::chrono::time_point<system_clock, std::chrono::seconds>>()));
  const Value local = Value::Map{{"$datetime", "2023-11-14T23:13:20"}};
  EXPECT_EQ(local.As<system_clock::time_point>().error().message,
            "value: expected a datetime with an offset from 1678 to 2261");
}

TEST(CodecsTest, ConvertsPaths) {
  EXPECT_EQ(ToValue(std::filesystem::path("a/b")), Value("a/b"));
  EXPECT_EQ(RoundTrip(std::filesystem::path("/a b")), "/a b");
  EXPECT_EQ(*Value(Value::Map{{"$path", "a/b"}}).As<std::filesystem::path>(), "a/b");
  EXPECT_EQ(Value(3).As<std::filesystem::path>().error().message,
            "value: expected path, found integer");
}

TEST(CodecsTest, ConvertsContainers) {
  using Either = std::variant<std::monostate, int, std::string, std::vector<double>>;
  for (const Either& either : {Either(), Either(3), Either("x"), Either(std::vector{0.5})})
    EXPECT_EQ(RoundTrip(either), either);
  EXPECT_EQ(Value(true).As<Either>().error().message,
            "value: expected one of the types of the variant, found bool");
  EXPECT_EQ(ToValue(std::set{3, 1}).ToJson(), R"({"$set":[1,3]})");
  EXPECT_EQ(*(Value(Value::List{1, 1, 2}).As<std::set<int>>()), (std::set{1, 2}));
  EXPECT_EQ((Value(Value::List{1, "x"}).As<std::set<int>>().error().message),
            "value[1]: expected integer, found string");
  const std::unordered_map<std::string, std::chrono::seconds> times{{"b", 2s}, {"a", 1s}};
  EXPECT_EQ(RoundTrip(times), times);
  EXPECT_EQ(ToValue(times).ToJson(), R"({"a":{"$timedelta":[0,1,0]},"b":{"$timedelta":[0,2,0]}})");
}

struct Task {
  std::chrono::minutes limit{};
  std::optional<std::filesystem::path> folder;
  std::vector<std::set<std::string>> groups;
  bool operator==(const Task&) const = default;
};
KINETIC_FIELDS(Task, limit, folder, groups);

TEST(CodecsTest, ConvertsMembersOfOtherTypes) {
  const Task task{.limit = 5min, .folder = "data", .groups = {{"a", "b"}, {}}};
  EXPECT_EQ(RoundTrip(task), task);
}

}  // namespace
}  // namespace kinetic

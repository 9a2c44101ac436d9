#include "kinetic/exceptions.h"
#include "kinetic/function.h"

#include "native/job_process.h"
#include "native/registry.h"

#include <gmock/gmock.h>

namespace kinetic {
namespace {

using ::testing::HasSubstr;

double Scale(const std::vector<double>& numbers, double factor) {
  double sum = 0;
  for (const double number : numbers) sum += number * factor;
  return sum;
}

std::string Describe(std::string_view name, std::span<const float> numbers) {
  return std::string(name) + " " + std::to_string(numbers.size());
}

Result<int> Divide(int a, int b) {
  if (b == 0) return Fail(ErrorCode::kInvalidArgument, "division by zero");
  return a / b;
}

void Nothing() noexcept {}

double Norm(const NdArray<double>& array) { return array.items[0]; }

template <typename Function>
auto Invoke(Function function, const Value::List& arguments) {
  return native::Signature<Function>::kInvoker(native::AddressOf(function), arguments);
}

template <typename Function, typename... Arguments>
auto Roundtrip(Function function, const Arguments&... arguments) {
  return Invoke(function, native::Signature<Function>::Encode(arguments...).value());
}

TEST(Call, ConvertsArgumentsAndResult) {
  EXPECT_EQ(*Roundtrip(&Scale, std::vector{1.0, 2.0}, 2), Value(6.0));
  EXPECT_EQ(*Roundtrip(&Describe, "x", std::vector<float>(300)), Value("x 300"));
  const std::array<float, 3> three{};
  EXPECT_EQ(*Roundtrip(&Describe, std::string("y"), three), Value("y 3"));
  EXPECT_EQ(*Roundtrip(&Nothing), Value());
  EXPECT_EQ(*Roundtrip(&Divide, 7, 2), Value(3));
}

NdArray<double> Same(NdArray<double> array) { return array; }

TEST(Call, ItemsOfAMovedArrayAreNotCopied) {
  NdArray<double> array{std::vector<double>(1000, 3), {1000}};
  const double* const items = array.items.data();
  Value::List arguments = native::Signature<decltype(&Same)>::Encode(std::move(array)).value();
  Result<Value> returned =
      native::Signature<decltype(&Same)>::kInvoker(native::AddressOf(&Same), std::move(arguments));
  ASSERT_TRUE(returned) << returned.error();
  EXPECT_EQ((*std::move(returned)).As<NdArray<double>>()->items.data(), items);
}

TEST(Call, ArgumentIsCopiedUnlessMoved) {
  const native::Registration function = native::Register("Same", &Same);
  NdArray<double> array{{1, 2}, {2}};
  const JobSpec spec = JobSpec::Call(&Same, array);
  EXPECT_EQ(spec.args.positional[0], Value(array));
  EXPECT_EQ(array.items.size(), 2U);
}

TEST(Call, ValueIsAnArgumentOfAnyType) {
  const native::Registration function = native::Register("Same", &Same);
  const Value stored = Value::Map{{"$npy", Value::Map{{"$shared", "00"}}}};
  const JobSpec spec = JobSpec::Call(&Same, stored);
  EXPECT_TRUE(spec.errors.empty());
  EXPECT_EQ(spec.args.positional, Value::List(1, stored));
}

TEST(Call, ErrorOfFunctionIsException) {
  EXPECT_THROW((void)Roundtrip(&Divide, 7, 0), ErrorException);
}

TEST(Call, ReportsUnsuitableArguments) {
  EXPECT_EQ(Invoke(&Divide, {1}).error().message, "expected 2 arguments, found 1");
  EXPECT_EQ(Invoke(&Divide, {1, "2"}).error().message,
            "argument 2: value: expected integer, found string");
}

TEST(Call, UnregisteredFunctionIsReported) {
  const native::Registration other = native::Register("Describe", &Describe);
  const JobSpec spec = JobSpec::Call(&Scale, std::vector{1.0}, 2.0);
  ASSERT_EQ(spec.errors.size(), 1U);
  EXPECT_EQ(spec.errors[0].code, ErrorCode::kInvalidArgument);
  EXPECT_EQ(spec.errors[0].message,
            "cannot call the function as a job: it is not registered; this program has Describe");
  EXPECT_THAT(spec.errors[0].hint, HasSubstr("KINETIC_FUNCTION"));
}

TEST(Call, TwoFunctionsOfOneNameAreReported) {
  const native::Registration first = native::Register("Run", &Nothing);
  const native::Registration again = native::Register("Run", &Nothing);
  EXPECT_TRUE(native::CheckNames());
  const native::Registration second = native::Register("Run", &Divide);
  const JobSpec spec = JobSpec::Call(&Divide, 1, 2);
  ASSERT_EQ(spec.errors.size(), 1U);
  EXPECT_EQ(spec.errors[0].message, "two functions of this program are registered as Run");
}

TEST(Call, JobIsNamedAfterTheFunction) {
  const native::Registration function = native::Register("sim::Divide", &Divide);
  const JobSpec spec = JobSpec::Call(&Divide, 1, 2);
  EXPECT_EQ(spec.name, "sim-divide");
  EXPECT_TRUE(spec.errors.empty());
}

TEST(Call, NumberThatTheParameterCannotHoldIsReported) {
  const native::Registration function = native::Register("Divide", &Divide);
  const auto message = [](const JobSpec& spec) {
    return spec.errors.size() == 1 ? spec.errors[0].message : "no error";
  };
  EXPECT_EQ(message(JobSpec::Call(&Divide, 7, 2.5)),
            "Divide: argument 2: value: expected integer, found number");
  EXPECT_EQ(message(JobSpec::Call(&Divide, 5'000'000'000, 2)),
            "Divide: argument 1: value: expected integer from -2147483648 to 2147483647, found "
            "5000000000");
  EXPECT_EQ(JobSpec::Call(&Divide, std::int8_t{7}, 2e3).args.positional, (Value::List{7, 2000}));
}

TEST(Call, IncompleteArrayIsReported) {
  const native::Registration function = native::Register("Norm", &Norm);
  const JobSpec spec = JobSpec::Call(&Norm, NdArray<double>{{1, 2, 3}, {2, 2}});
  ASSERT_EQ(spec.errors.size(), 1U);
  EXPECT_EQ(spec.errors[0].message, "Norm: argument 1: shape (2, 2) does not match 3 items");
}

TEST(Call, JobContextIsReadAsWritten) {
  const JobContext context{.id = "ab12",
                           .attempt = 2,
                           .output = "/run/output",
                           .checkpoints = "/run/checkpoints",
                           .data = "/run/data"};
  const auto read = native::JobContextFromJson(native::ToJson(context));
  ASSERT_TRUE(read) << read.error();
  EXPECT_EQ(read->id, "ab12");
  EXPECT_EQ(read->attempt, 2U);
  EXPECT_EQ(read->checkpoints, context.checkpoints);
  EXPECT_EQ(native::JobContextFromJson("{}").error().code, ErrorCode::kDataLoss);
  EXPECT_EQ(CurrentJob(), nullptr);
}

}  // namespace
}  // namespace kinetic

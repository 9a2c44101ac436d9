#include "kinetic/job_file.h"

#include "jobspec/serialize.h"

#include <gtest/gtest.h>
#include <rapidcheck/gtest.h>

namespace kinetic {
namespace {

using Texts = std::vector<std::string>;

std::string Word() {
  return *rc::gen::nonEmpty(rc::gen::container<std::string>(rc::gen::inRange('a', 'z')));
}

Texts Words() {
  const auto count = *rc::gen::inRange(0, 4);
  Texts words;
  for (int i = 0; i < count; ++i) words.push_back(Word());
  return words;
}

template <typename T>
std::optional<T> Maybe(T value) {
  return *rc::gen::arbitrary<bool>() ? std::optional<T>(std::move(value)) : std::nullopt;
}

Value AnyValue(int depth) {
  switch (*rc::gen::inRange(0, depth > 0 ? 7 : 5)) {
    case 0:
      return {};
    case 1:
      return Value(*rc::gen::arbitrary<bool>());
    case 2:
      return Value(*rc::gen::arbitrary<std::int64_t>());
    case 3:
      return Value(
          *rc::gen::map(rc::gen::arbitrary<int>(), [](int i) { return i / 8.0 + 0.0625; }));
    case 4:
      return Value(Word());
    case 5: {
      Value::List list;
      for (int i = *rc::gen::inRange(0, 3); i > 0; --i) list.push_back(AnyValue(depth - 1));
      return Value(std::move(list));
    }
    default: {
      Value map{Value::Map{}};
      for (int i = *rc::gen::inRange(0, 3); i > 0; --i) map.Set(Word(), AnyValue(depth - 1));
      return map;
    }
  }
}

void FillWork(JobSpec& spec) {
  if (*rc::gen::arbitrary<bool>()) {
    spec.function = {Word(), Word() + "." + Word()};
  } else if (*rc::gen::arbitrary<bool>()) {
    spec.run = {Word() + " | " + Word(), {}};
  } else {
    spec.run = {"", {Word(), Word()}};
  }
  if (*rc::gen::arbitrary<bool>()) {
    for (int i = *rc::gen::inRange(0, 4); i > 0; --i) spec.args.positional.push_back(AnyValue(3));
  } else {
    for (const auto& name : Words()) spec.args.named.emplace_back(name, AnyValue(3));
  }
}

void FillLimits(JobSpec& spec) {
  const auto bytes = [] { return Maybe(*rc::gen::inRange<std::uint64_t>(1, 1ULL << 62)); };
  spec.resources = {Maybe(*rc::gen::inRange(1, 99) / 4.0), bytes(), bytes(), bytes()};
  spec.retry = {
      *rc::gen::inRange(1U, 100U), *rc::gen::arbitrary<bool>(), *rc::gen::arbitrary<bool>(), {}};
  for (int i = *rc::gen::inRange(0, 3); i > 0; --i) {
    spec.retry.on_exit_codes.push_back(*rc::gen::inRange(1, 256));
  }
  const auto time = [] { return std::chrono::milliseconds(*rc::gen::inRange(0, 1 << 30)); };
  spec.timeouts = {Maybe(time()), Maybe(time()), time()};
  if (*rc::gen::arbitrary<bool>()) spec.array = ArraySpec{*rc::gen::inRange(1U, 9U), 2, {}};
}

JobSpec AnySpec() {
  JobSpec spec;
  spec.name = Word();
  const auto known = Accelerators();
  for (int i = *rc::gen::inRange(1, 4); i > 0; --i) {
    spec.accelerators.push_back(known[*rc::gen::inRange<std::size_t>(0, known.size())]);
  }
  FillWork(spec);
  FillLimits(spec);
  spec.bundle = {Maybe<std::filesystem::path>(Word()), Words(), *rc::gen::arbitrary<bool>()};
  spec.dependencies = {Maybe<std::filesystem::path>(Word()), Words(), Words(),
                       *rc::gen::arbitrary<bool>()};
  spec.image = Maybe(ImageSpec{Word(), "", ""});
  for (const auto& name : Words()) spec.env[name] = *rc::gen::arbitrary<std::string>();
  for (const auto& name : Words()) spec.data["/" + name] = {Word(), *rc::gen::arbitrary<bool>()};
  spec.secrets = Words();
  spec.spot = *rc::gen::arbitrary<bool>();
  spec.pod = *rc::gen::arbitrary<bool>() ? AnyValue(2) : Value();
  spec.target = *rc::gen::arbitrary<bool>() ? Word() : "";
  return spec;
}

RC_GTEST_PROP(JobSpecProperty, WrittenSpecReadsBackEqual, ()) {
  const JobSpec spec = AnySpec();
  const auto again = jobspec::FromValue(jobspec::ToValue(spec));
  RC_ASSERT(again.has_value());
  RC_ASSERT(*again == spec);
}

/// Inserts text into a valid file, or removes some.
RC_GTEST_PROP(JobFileProperty, EditedFilesAreReadOrRejectedInOrder, ()) {
  static const std::string kFile =
      "name: a\nrun: [a, b]\nargs: {x: 1, y: [2, {$env: HOME}]}\nenv: {A: b}\n"
      "retry: {attempts: 3, on: [preempted]}\ndata: {/d: gs://b/p}\n";
  static const Texts kPieces{"\n",     "\t",   " ",   ":", ": ",       "- ", "{",   "}",
                             "[",      "]",    ",",   "'", "\"",       "#",  "&a ", "*a",
                             "!!str ", "<<: ", "|\n", "~", "\xC3\xBC", "0"};
  std::string text = kFile;
  for (int i = *rc::gen::inRange(1, 5); i > 0; --i) {
    const auto at = *rc::gen::inRange<std::size_t>(0, text.size());
    const auto piece = *rc::gen::elementOf(kPieces);
    text.replace(at, *rc::gen::inRange<std::size_t>(0, 4), piece);
  }
  JobFileOptions options;
  options.directory = "/x";
  options.environment = {{"HOME", "/h"}};
  const auto spec = ParseJobFile(text, "job.yaml", options);
  if (spec) {
    RC_ASSERT(jobspec::FromValue(jobspec::ToValue(*spec)).has_value());
    return;
  }
  std::pair<int, int> last{0, 0};
  const std::string& message = spec.error().message;
  for (std::size_t start = 0; start < message.size();) {
    const auto end = std::min(message.find('\n', start), message.size());
    const std::string line = message.substr(start, end - start);
    start = end + 1;
    int row = 0;
    int column = 0;
    RC_ASSERT(std::sscanf(line.c_str(), "job.yaml:%d:%d: ", &row, &column) == 2);
    RC_ASSERT(row >= 1);
    RC_ASSERT(column >= 1);
    RC_ASSERT(last <= std::pair(row, column));
    last = {row, column};
  }
}

}  // namespace
}  // namespace kinetic

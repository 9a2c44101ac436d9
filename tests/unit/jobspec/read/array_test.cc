#include "jobspec/array.h"

#include "kinetic/job_file.h"

#include "jobspec/read/job_file.h"
#include "support/temp_tree.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <string>
#include <utility>
#include <vector>

namespace kinetic {
namespace {

using test::TempTree;
using testing::HasSubstr;

class ReadArrayTest : public testing::Test {
 protected:
  Result<JobSpec> Read(const std::string& text, std::vector<std::string> over = {},
                       std::vector<JobFileShortcut> shortcuts = {}) {
    JobFileOptions options;
    options.directory = tree_.path();
    options.over = std::move(over);
    options.shortcuts = std::move(shortcuts);
    return ParseJobFile(text, "sub/job.yaml", options);
  }

  /// Returns the argument sets, or the error.
  std::string Sets(const std::string& text, std::vector<std::string> over = {}) {
    const auto spec = Read(text, std::move(over));
    if (!spec) return spec.error().message;
    EXPECT_TRUE(spec->array);
    if (!spec->array) return "";
    EXPECT_EQ(spec->array->count, spec->array->over.AsList()->size());
    return spec->array->over.ToJson();
  }

  std::string Over(const std::string& over) {
    return Sets("function: a:b\narray: {over: " + over + "}\n");
  }

  std::string Options(std::vector<std::string> over) {
    return Sets("function: a:b\n", std::move(over));
  }

  TempTree tree_;
};

TEST_F(ReadArrayTest, ReadsAllKeys) {
  const auto spec =
      Read("run: x\narray: {count: 9, parallel: 2, max_failed: 0, tasks_per_pod: 3}\n");
  ASSERT_TRUE(spec) << spec.error().message;
  EXPECT_EQ(
      *spec->array,
      (ArraySpec{.count = 9, .parallel = 2, .over = {}, .max_failed = 0, .tasks_per_pod = 3}));
  EXPECT_EQ(Read("run: x\narray: {count: 9}\n")->array->max_failed, std::nullopt);
}

TEST_F(ReadArrayTest, ReadsLists) {
  EXPECT_EQ(Over("[{lr: 1}, {}, [1, a], 5, null, {$text: x.txt}]").substr(0, 12), "sub/job.yaml");
  EXPECT_EQ(Over("[{lr: 1}, {}, [1, a], 5, null]"), R"([{"lr":1},{},[1,"a"],5,null])");
}

TEST_F(ReadArrayTest, GridsVaryTheLastNameFastest) {
  EXPECT_EQ(Over("{lr: [0.1, 0.2], seed: {range: 2}}"),
            R"([{"lr":0.1,"seed":0},{"lr":0.1,"seed":1},{"lr":0.2,"seed":0},{"lr":0.2,"seed":1}])");
  EXPECT_EQ(Over("{b: {range: [-1, 1]}}"), R"([{"b":-1},{"b":0},{"b":1}])");
  EXPECT_EQ(Over("{b: 3..5}"), R"([{"b":3},{"b":4},{"b":5}])");
  EXPECT_EQ(Over("{b: [1..2, 7, '1..2', [3..4]]}"),
            R"([{"b":1},{"b":2},{"b":7},{"b":"1..2"},{"b":["3..4"]}])");
  EXPECT_EQ(Over("{range: [1]}"), R"([{"range":1}])");
}

TEST_F(ReadArrayTest, ReadsFiles) {
  tree_.Write("sub/s.json", R"([{"lr": 1}, [2], 3])");
  tree_.Write("sub/s.jsonl", "{\"lr\": 1}\n\n{\"lr\": {\"$path\": \"x\"}}\n");
  tree_.Write("sub/s.csv", "lr,seed\n0.1,a\n0.2,\n");
  tree_.Write("sub/list.json", "[1, 2]");
  EXPECT_EQ(Over("{$json: s.json}"), R"([{"lr":1},[2],3])");
  EXPECT_EQ(Over("{$jsonl: s.jsonl}"), R"([{"lr":1},{"lr":{"$dict":[["$path","x"]]}}])");
  EXPECT_EQ(Over("{$csv: s.csv}"), R"([{"lr":0.1,"seed":"a"},{"lr":0.2,"seed":null}])");
  EXPECT_EQ(Over("{lr: {$json: list.json}}"), R"([{"lr":1},{"lr":2}])");
  EXPECT_EQ(Options({"sub/s.csv"}), R"([{"lr":0.1,"seed":"a"},{"lr":0.2,"seed":null}])");
}

TEST_F(ReadArrayTest, OptionsFormGrids) {
  EXPECT_EQ(
      Options({"lr=0.1,1e-3", "seed=1..2"}),
      R"([{"lr":0.1,"seed":1},{"lr":0.1,"seed":2},{"lr":0.001,"seed":1},{"lr":0.001,"seed":2}])");
  EXPECT_EQ(Options({"a=x,true,'5',[1, 2],{b: c}"}),
            R"([{"a":"x"},{"a":true},{"a":"5"},{"a":[1,2]},{"a":{"b":"c"}}])");
  EXPECT_EQ(Options({"a=1..2,9"}), R"([{"a":1},{"a":2},{"a":9}])");
}

TEST_F(ReadArrayTest, OptionsReplaceTheTasksOfTheFile) {
  const std::string file = "function: a:b\narray: {over: {lr: [1], seed: [2]}, parallel: 3}\n";
  EXPECT_EQ(Sets(file, {"lr=5"}), R"([{"lr":5}])");
  EXPECT_EQ(Read(file, {"lr=5"})->array->parallel, 3U);
  const auto counted = Read(file, {}, {{"--array", "array.count", "7"}});
  ASSERT_TRUE(counted) << counted.error().message;
  EXPECT_EQ(counted->array->count, 7U);
  EXPECT_TRUE(counted->array->over.IsNull());
  EXPECT_EQ(Sets("function: a:b\narray: null\n", {"lr=5"}), R"([{"lr":5}])");
}

TEST_F(ReadArrayTest, RejectsInvalidOptions) {
  const std::vector<std::pair<std::vector<std::string>, std::string>> cases{
      {{"lr"}, "--over: found \"lr\", expected name=values"},
      {{"=1"}, "--over: found \"=1\", expected name=values"},
      {{"lr="}, "--over lr: found an empty list, expected a list of values"},
      {{"lr=1", "lr=2"}, "--over lr: given twice; separate the values with commas"},
      {{"lr=1", "s.csv"}, "--over: a file cannot be combined with other --over options"},
      {{"s.csv", "lr=1"}, "--over lr: cannot be combined with a list or file"},
      {{"gone.csv"}, "--over: opening " + (tree_ / "gone.csv").string() + ": no such file"},
      {{"lr=0.1..0.5"}, "--over lr: found \"0.1..0.5\", expected a range of ascending integers"},
      {{"lr=5..1"}, "--over lr: found \"5..1\", expected a range of ascending integers"},
      {{"lr=1..100001"}, "--over lr: the range from 1 to 100001 has more than 100000 values"},
      {{"lr=-9223372036854775808..9223372036854775807"}, "has more than 100000 values"},
      {{"lr=1..60000,1..60000"}, "--over lr: found more than 100000 values"},
      {{"lr=[1"}, "--over lr: "},
      {{"lr=1..400", "s=1..300"}, "the grid has 400 × 300 = 120000 argument sets"}};
  for (const auto& [over, message] : cases)
    EXPECT_THAT(Options(over), HasSubstr(message)) << over.front();
  const auto both = Read("function: a:b\n", {"lr=1"}, {{"--array", "array.count", "7"}});
  ASSERT_FALSE(both);
  EXPECT_EQ(both.error().message, "--array: cannot be combined with `over`");
  const auto alone = Read("function: a:b\n", {}, {{"--parallel", "array.parallel", "7"}});
  ASSERT_FALSE(alone);
  EXPECT_EQ(alone.error().message,
            "--parallel: the job has no array; specify its tasks with --over or --array");
}

TEST_F(ReadArrayTest, RejectsInvalidFiles) {
  tree_.Write("sub/empty.jsonl", "\n\n");
  tree_.Write("sub/bad.jsonl", "{\"lr\": 1}\n{\"lr\": 2,\n");
  tree_.Write("sub/bad.csv", "lr,seed\n1,2\n1,2,3\n");
  tree_.Write("sub/map.json", "{\"lr\": [1]}");
  std::string many;
  for (int i = 0; i <= 100'000; ++i) many += "0\n";
  tree_.Write("sub/many.jsonl", many);
  const std::vector<std::pair<std::string, std::string>> cases{
      {"[]", "2:15: array.over: found an empty list, expected a list of argument sets"},
      {"{}", "2:15: array.over: found an empty map, expected names with their values"},
      {"3", "2:15: array.over: found 3, expected a list of argument sets"},
      {"null", "array.over: found nothing, expected a list of argument sets"},
      {"{$jsonl: empty.jsonl}", "2:24: array.over: empty.jsonl has 0 argument sets, expected 1 to"},
      {"{$jsonl: many.jsonl}", "2:24: array.over: many.jsonl has 100001 argument sets"},
      {"{$jsonl: bad.jsonl}", "2:24: array.over: bad.jsonl:2: invalid JSON at column 10"},
      {"{$csv: bad.csv}", "2:22: array.over: bad.csv:3: found 3 fields, expected 2 (lr, seed)"},
      {"{$json: map.json}", "2:23: array.over: map.json: expected a list of argument sets"},
      {"{$text: x}", "2:16: array.over: found \"$text\", expected $json, $jsonl or $csv"},
      {"{$jsnl: x}", "expected $json, $jsonl or $csv; did you mean $json"},
      {"{$json: map.json, lr: [1]}", "\"$json\" cannot be combined with other keys in its map"},
      {"{lr: 3}", "2:20: array.over.lr: found 3, expected a list of values, {range: 5}, or 1..5"},
      {"{lr: []}", "2:20: array.over.lr: found an empty list"},
      {"{lr: {range: 0}}", "array.over.lr.range: found 0, expected a count of 1 or more"},
      {"{lr: {range: [2, 1]}}", "array.over.lr.range: found a list, expected a count"},
      {"{lr: {step: 1}}", "array.over.lr: found a map, expected a list of values"},
      {"{a: 1..100000, b: [1, 2]}", "the grid has 100000 × 2 = 200000 argument sets"}};
  for (const auto& [over, message] : cases) {
    const std::string found = Over(over);
    EXPECT_THAT(found, HasSubstr(message)) << over;
    EXPECT_EQ(found.find('\n'), std::string::npos) << found;
  }
}

TEST_F(ReadArrayTest, RejectsMixedArguments) {
  EXPECT_EQ(Sets("function: a:b\nargs: {x: 1}\narray: {over: [{y: 1}, [2]]}\n"),
            "sub/job.yaml:3:24: array.over[1]: found positional arguments, but those in `args` are "
            "named; name all arguments, or pass all by position");
  EXPECT_THAT(Sets("function: a:b\nargs: [1]\narray: {over: [{y: 1}]}\n"),
              HasSubstr("3:16: array.over[0]: found named arguments, but those in `args` are pos"));
  EXPECT_THAT(Sets("function: a:b\nargs: [1]\narray: {over: {y: [1]}}\n"),
              HasSubstr("3:15: array.over: found named arguments"));
  tree_.Write("sub/s.jsonl", "{\"x\": 1}\n3\n");
  EXPECT_THAT(Sets("function: a:b\nargs: {x: 1}\narray: {over: {$jsonl: s.jsonl}}\n"),
              HasSubstr("3:24: array.over: s.jsonl:2: found positional arguments"));
}

TEST_F(ReadArrayTest, CommandsTakeWords) {
  const auto run = [&](const std::string& over) {
    return Sets("run: [x]\narray: {over: " + over + "}\n");
  };
  EXPECT_EQ(run("[{lr: [1, 2], v: true, n: null}, [1, a], 5]"),
            R"([{"lr":[1,2],"v":true,"n":null},[1,"a"],5])");
  EXPECT_THAT(run("[{lr: {a: 1}}]"), HasSubstr("2:16: array.over[0]: found a map or nested list"));
  EXPECT_THAT(run("[{--lr: 1}]"), HasSubstr("array.over[0]: found the name \"--lr\""));
  EXPECT_THAT(run("[[[1]]]"), HasSubstr("array.over[0]: found a value that is no word of `run`"));
  EXPECT_THAT(run("{lr: [1, {a: 1}]}"), HasSubstr("2:20: array.over.lr: found a map or nested"));
  EXPECT_THAT(run("{a b: [1]}"), HasSubstr("array.over.a b: found the name \"a b\""));
}

TEST_F(ReadArrayTest, LimitsTheSizeOfAllArguments) {
  tree_.Write("sub/text", std::string(1 << 20, 'x'));
  const std::string message = Over("{text: [{$text: text}], seed: {range: 100}}");
  EXPECT_THAT(message, HasSubstr("2:15: array.over: the arguments of the 100 tasks have 100"));
  EXPECT_THAT(message, HasSubstr("expected at most 64.0 MiB"));
  EXPECT_THAT(
      Sets("function: a:b\nargs: {x: {$text: text}}\narray: {over: {seed: {range: 100}}}\n"),
      HasSubstr("the arguments of the 100 tasks have 100"));
  EXPECT_EQ(Read("function: a:b\narray: {over: {s: {range: 100000}}}\n")->array->count, 100'000U);
}

TEST_F(ReadArrayTest, PathsOfAllTasksAreResolved) {
  auto spec = Read(
      "function: a:b\nbundle: {root: .}\n"
      "array: {over: {data: [{$path: a}, {$path: b}], seed: [1, 2]}}\n");
  ASSERT_TRUE(spec) << spec.error().message;
  EXPECT_EQ(spec->array->over.ToJson(),
            R"([{"data":{"$path":"a"},"seed":1},{"data":{"$path":"a"},"seed":2},)"
            R"({"data":{"$path":"b"},"seed":1},{"data":{"$path":"b"},"seed":2}])");
  spec =
      Read("function: a:b\nbundle: {root: .}\narray: {over: [{d: {$path: a}}, {d: {$path: b}}]}\n");
  ASSERT_TRUE(spec) << spec.error().message;
  EXPECT_EQ(spec->array->over.ToJson(), R"([{"d":{"$path":"a"}},{"d":{"$path":"b"}}])");
}

TEST_F(ReadArrayTest, TaskKeysHavePositions) {
  auto spec = Read("function: a:b\nargs: {z: 1}\narray: {over: [{x: 1}, {x: 2, y: 3}, {x: 4}]}\n");
  ASSERT_TRUE(spec) << spec.error().message;
  EXPECT_EQ(jobspec::TaskKey(*spec, 1, "y"), "sub/job.yaml:3:31: array.over[1].y");
  EXPECT_EQ(jobspec::TaskKey(*spec, 1), "sub/job.yaml:3:24: array.over[1]");
  EXPECT_EQ(jobspec::TaskKey(*spec, 1, "z"), "sub/job.yaml:2:11: args.z");
  tree_.Write("sub/s.csv", "x,y\n1,2\n");
  spec = Read("function: a:b\narray: {over: {$csv: s.csv}}\n");
  ASSERT_TRUE(spec) << spec.error().message;
  EXPECT_EQ(jobspec::TaskKey(*spec, 0, "y"), "s.csv:2: array.over[0].y");
  EXPECT_EQ(jobspec::TaskKey(*spec, 0), "s.csv:2: array.over[0]");
  spec = Read("function: a:b\narray: {over: {x: [1]}}\n");
  EXPECT_EQ(jobspec::TaskKey(*spec, 0, "x"), "sub/job.yaml:2:19: array.over.x");
  EXPECT_EQ(jobspec::TaskKey(*spec, 0), "sub/job.yaml:2:15: array.over");
  spec = Read("function: a:b\n", {"x=1"});
  EXPECT_EQ(jobspec::TaskKey(*spec, 0, "x"), "--over x");
}

}  // namespace
}  // namespace kinetic

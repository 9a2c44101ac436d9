#include "kinetic/job_file.h"

#include "jobspec/read/job_file.h"
#include "support/temp_tree.h"

#include <gtest/gtest.h>

#include <sys/stat.h>

#include <filesystem>
#include <string>
#include <utility>
#include <vector>

namespace kinetic {
namespace {

using test::TempTree;

Result<JobSpec> ParseArgs(const TempTree& tree, const std::string& args,
                          const std::string& rest = "function: a:b\n") {
  JobFileOptions options;
  options.directory = tree.path();
  options.environment = {{"USER", "ana"}};
  return ParseJobFile(rest + "args: " + args + "\n", "sub/job.yaml", options);
}

std::string ArgsJson(const TempTree& tree, const std::string& args) {
  const auto spec = ParseArgs(tree, args);
  return spec ? Value(spec->args.named).ToJson() : spec.error().message;
}

std::string ArgsError(const TempTree& tree, const std::string& args) {
  const auto spec = ParseArgs(tree, args);
  EXPECT_FALSE(spec);
  return spec ? "" : spec.error().message;
}

TEST(Args, ReadsFilesRelativeToJobFile) {
  const TempTree tree;
  tree.Write("sub/a.json", "{\"k\": [1, null]}\n");
  tree.Write("sub/b.jsonl", "1\r\n\n{\"x\": 2}\n\"three\"");
  tree.Write("c.txt", "line\n");
  EXPECT_EQ(
      ArgsJson(tree, "{a: {$json: a.json}, b: [{$jsonl: b.jsonl}], c: {d: {$text: ../c.txt}}}"),
      R"({"a":{"k":[1,null]},"b":[[1,{"x":2},"three"]],"c":{"d":"line\n"}})");
}

TEST(Args, ReadsPositionalArguments) {
  const TempTree tree;
  const auto spec = ParseArgs(tree, "[1, {$env: USER}]");
  ASSERT_TRUE(spec);
  EXPECT_EQ(Value(spec->args.positional).ToJson(), R"([1,"ana"])");
}

/// Returns an .npy file of format 1 with this header and eight bytes of data.
std::string Npy(const std::string& header, char format = 1) {
  std::string file = "\x93NUMPY";
  file += format;
  file += std::string(1, '\0') + static_cast<char>(header.size());
  file += std::string(format == 1 ? 1 : 3, '\0') + header + "12345678";
  return file;
}

constexpr const char* kHeader = "{'descr': '<f8', 'fortran_order': False, 'shape': (1,), }";

TEST(Args, ArraysAreChecked) {
  const TempTree tree;
  tree.Write("sub/a.npy", Npy(kHeader));
  tree.Write("sub/3.npy", Npy(kHeader, 3));
  EXPECT_TRUE(ArgsJson(tree, "{w: [{$npy: a.npy}]}").starts_with(R"({"w":[{"$npy":"k05VTVBZ)"));
  EXPECT_TRUE(ArgsJson(tree, "{w: {$npy: 3.npy}}").starts_with(R"({"w":{"$npy":"k05VTVBZ)"));
  tree.Write("sub/text.npy", "1 2 3");
  tree.Write("sub/4.npy", Npy(kHeader, 4));
  tree.Write("sub/short.npy", Npy(kHeader).substr(0, 30));
  tree.Write("sub/damaged.npy", Npy("{'descr': '<f8', 'fortran_order': False}"));
  tree.Write("sub/objects.npy", Npy("{'descr': '|O', 'fortran_order': False, 'shape': (1,), }"));
  for (const auto& [file, problem] : std::vector<std::pair<std::string, std::string>>{
           {"text", "args.w: \"text.npy\" is not an .npy file"},
           {"4", "has format 4, expected 1 to 3"},
           {"short", "is truncated"},
           {"damaged", "is damaged: its header has no 'shape'"},
           {"objects", "contains Python objects"},
           {"absent", "absent.npy"}}) {
    const std::string error = ArgsError(tree, "{w: {$npy: " + file + ".npy}}");
    EXPECT_NE(error.find(problem), std::string::npos) << error;
  }
  const auto command = ParseArgs(tree, "{w: {$npy: a.npy}}", "run: ls\n");
  ASSERT_FALSE(command);
  EXPECT_NE(command.error().message.find("$npy passes an array to a `function`"),
            std::string::npos);
}

TEST(Args, KeepsMapsThatLookTagged) {
  const TempTree tree;
  tree.Write("sub/a.json", R"([{"$path": "x"}, {"b": {"$int": "1", "c": 2}}])");
  EXPECT_EQ(ArgsJson(tree, "{a: {}, b: {$x: 1, y: 2}, c: {x$: 1}}"),
            R"({"a":{},"b":{"$dict":[["$x",1],["y",2]]},"c":{"x$":1}})");
  EXPECT_EQ(ArgsJson(tree, "{a: {$json: a.json}}"),
            R"({"a":[{"$dict":[["$path","x"]]},{"b":{"$dict":[["$int","1"],["c",2]]}}]})");
}

TEST(Args, TagsNonJsonNumbers) {
  const TempTree tree;
  EXPECT_EQ(ArgsJson(tree, "{a: [.nan, .inf, -.INF, 99999999999999999999, -9223372036854775809]}"),
            R"({"a":[{"$float":"nan"},{"$float":"inf"},{"$float":"-inf"},)"
            R"({"$int":"99999999999999999999"},{"$int":"-9223372036854775809"}]})");
  EXPECT_NE(ArgsError(tree, "{a: 0xffffffffffffffffff}").find("a 64-bit integer"),
            std::string::npos);
}

TEST(Args, ReadsAllArgumentsFromFile) {
  const TempTree tree;
  tree.Write("sub/map.json", R"({"a": 1, "b": [2]})");
  tree.Write("sub/list.jsonl", "1\n2\n");
  tree.Write("sub/three.json", "3");
  EXPECT_EQ(ArgsJson(tree, "{$json: map.json}"), R"({"a":1,"b":[2]})");
  const auto spec = ParseArgs(tree, "{$jsonl: list.jsonl}");
  ASSERT_TRUE(spec);
  EXPECT_EQ(Value(spec->args.positional).ToJson(), "[1,2]");
  EXPECT_NE(ArgsError(tree, "{$json: three.json}").find("a map or a list of arguments"),
            std::string::npos);
  EXPECT_NE(ArgsError(tree, "{$env: USER}").find("a map or a list of arguments"),
            std::string::npos);
  EXPECT_NE(ArgsError(tree, "{$a: 1, b: 2}").find("cannot start with $"), std::string::npos);
  const auto run = ParseArgs(tree, "{$json: map.json}", "run: x\n");
  ASSERT_TRUE(run) << run.error().message;
  tree.Write("sub/map.json", R"({"a": {"b": 1}})");
  EXPECT_FALSE(ParseArgs(tree, "{$json: map.json}", "run: x\n"));
}

TEST(Args, ReportsInvalidJsonLine) {
  const TempTree tree;
  tree.Write("sub/b.jsonl", "1\n2\n{\"x\": }\n");
  EXPECT_EQ(ArgsError(tree, "{b: {$jsonl: b.jsonl}}"),
            "sub/job.yaml:2:20: args.b: b.jsonl:3: invalid JSON at column 7");
}

TEST(Args, LimitsTotalFileSize) {
  const TempTree tree;
  tree.Write("sub/half.txt", std::string(33U << 20, 'x'));
  EXPECT_TRUE(ParseArgs(tree, "{a: {$text: half.txt}}"));
  EXPECT_EQ(
      ArgsError(tree, "{a: {$text: half.txt}, b: {$text: half.txt}}"),
      "sub/job.yaml:2:41: args.b: \"half.txt\" is 33.0 MiB, but the limit for all files in args "
      "is 64.0 MiB; put it in the bundle or data and use $path");
}

TEST(Args, RejectsNonRegularFiles) {
  const TempTree tree;
  tree.MakeFolder("sub/folder");
  ASSERT_EQ(::mkfifo((tree / "sub/pipe").c_str(), 0600), 0);
  EXPECT_NE(ArgsError(tree, "{a: {$text: folder}}").find("is not a regular file"),
            std::string::npos);
  EXPECT_NE(ArgsError(tree, "{a: {$text: pipe}}").find("is not a regular file"), std::string::npos);
}

TEST(Args, RejectsDeepJson) {
  const TempTree tree;
  tree.Write("sub/deep.json", std::string(600, '[') + std::string(600, ']'));
  EXPECT_NE(ArgsError(tree, "{a: {$json: deep.json}}").find("nested deeper"), std::string::npos);
  tree.Write("sub/deep.jsonl", std::string(150, '[') + std::string(150, ']'));
  EXPECT_EQ(ArgsError(tree, "{a: {$jsonl: deep.jsonl}}"),
            "sub/job.yaml:2:20: args.a: deep.jsonl:1: nested deeper than 100 levels");
}

TEST(Args, ResolvesPathsAgainstRoot) {
  const TempTree tree;
  const auto spec =
      ParseArgs(tree, "{a: {$path: x/../y.csv}, b: [{$path: .}], c: {$path: /data/t.csv}}",
                "function: a:b\nbundle: {root: .}\ndata: {/data: ./d}\n");
  ASSERT_TRUE(spec) << spec.error().message;
  EXPECT_EQ(Value(spec->args.named).ToJson(),
            R"({"a":{"$path":"y.csv"},"b":[{"$path":"."}],"c":{"$path":"/data/t.csv"}})");
}

TEST(Args, KeepsAbsolutePathsWithoutRoot) {
  const TempTree tree;
  tree.Write("sub/in.json", R"({"$path": "not ours"})");
  auto spec = ParseArgs(tree, "{a: {$path: y.csv}, b: {$json: in.json}}");
  ASSERT_TRUE(spec);
  EXPECT_EQ(*spec->args.named[0].second.Find("$path"), Value((tree / "sub/y.csv").string()));
  ASSERT_TRUE(jobspec::ResolvePathArguments(*spec, tree.path()));
  EXPECT_EQ(*spec->args.named[0].second.Find("$path"), Value("sub/y.csv"));
  EXPECT_EQ(spec->args.named[1].second.ToJson(), R"({"$dict":[["$path","not ours"]]})");
  ASSERT_TRUE(jobspec::ResolvePathArguments(*spec, tree.path())) << "a second time changes nothing";
}

TEST(Args, ReportsPathsOutsideRootWithPositions) {
  const TempTree tree;
  auto spec = ParseArgs(tree, "[{$path: ../x}, {$path: ok}, {$path: /etc/y}]");
  ASSERT_TRUE(spec);
  const auto status = jobspec::ResolvePathArguments(*spec, tree / "sub");
  ASSERT_FALSE(status);
  EXPECT_EQ(status.error().message,
            "sub/job.yaml:2:16: args[0]: " + (tree / "x").string() +
                " is not in the bundle's root " + (tree / "sub").string() +
                "; move it there, or add it to `data`\n"
                "sub/job.yaml:2:44: args[2]: /etc/y is not in the bundle's root " +
                (tree / "sub").string() + "; move it there, or add it to `data`");
}

TEST(Args, ReadsArrayOfArgumentSets) {
  const TempTree tree;
  tree.Write("sub/sets.jsonl", "{\"x\": 1}\n{\"x\": 2}\n");
  const auto spec = ParseArgs(tree, "{y: 1}",
                              "function: a:b\narray: {over: {$jsonl: sets.jsonl}, parallel: 2}\n");
  ASSERT_TRUE(spec) << spec.error().message;
  EXPECT_EQ(spec->array->count, 2U);
  EXPECT_EQ(spec->array->over.ToJson(), R"([{"x":1},{"x":2}])");
}

/// The same text is the same value, written in the job file or read from a file.
TEST(Args, IntegersHaveOneRuleInlineAndInFiles) {
  const std::string digits(308, '9');
  for (const std::string& number :
       {std::string("0"), std::string("-1"), std::string("9223372036854775807"),
        std::string("9223372036854775808"), std::string("-9223372036854775808"),
        std::string("-9223372036854775809"), std::string("18446744073709551615"),
        std::string("18446744073709551616"), digits, "-" + digits}) {
    const test::TempTree tree;
    tree.Write("sub/n.json", "[" + number + "]");
    tree.Write("sub/n.jsonl", number + "\n");
    const std::string inline_value = ArgsJson(tree, "{a: [" + number + "]}");
    EXPECT_EQ(ArgsJson(tree, "{a: {$json: n.json}}"), inline_value) << number;
    EXPECT_EQ(ArgsJson(tree, "{a: {$jsonl: n.jsonl}}"), inline_value) << number;
  }
  const test::TempTree tree;
  tree.Write("sub/n.json", "[1" + digits + "]");
  EXPECT_NE(ArgsError(tree, "{a: [1" + digits + "]}").find("out of range"), std::string::npos);
  EXPECT_NE(ArgsError(tree, "{a: {$json: n.json}}").find("out of range"), std::string::npos);
}

}  // namespace
}  // namespace kinetic

#include "jobspec/serialize.h"

#include "kinetic/job_file.h"

#include <gtest/gtest.h>

#include <functional>

namespace kinetic::jobspec {
namespace {

JobSpec ParseSpec(std::string_view text, const char* directory) {
  JobFileOptions options;
  options.directory = directory;
  const auto spec = ParseJobFile(text, "job.yaml", options);
  EXPECT_TRUE(spec) << (spec ? "" : spec.error().message);
  return spec.value_or(JobSpec{});
}

std::string SpecError(std::string_view json) {
  const auto spec = FromValue(*Value::FromJson(json));
  EXPECT_FALSE(spec) << json;
  return spec ? "" : spec.error().message;
}

constexpr std::string_view kFullSpec = R"(
name: full
accelerator: [v5p-2x2x2, cpu]
function: a.b:C.d
args: {epochs: 3, path: {$path: x.csv}}
bundle: {root: .., exclude: [a, b], default_excludes: false}
workdir: w/d
dependencies: {file: sub/pyproject.toml, extras: [x], groups: [y]}
python: "3.12"
env: {A: b}
tags: {team: nlp}
secrets: ["W_*"]
data: {/d: gs://b/p, /e: {source: gs://b/q, mode: mount}}
resources: {cpu: 1.5, memory: 1Gi, disk: 2Gi, shm: 3Gi}
spot: true
slices: 2
array: {over: [{a: 1}, {a: 2}], parallel: 1, max_failed: 0, tasks_per_pod: 3}
retry: {attempts: 3, on: [preempted, exit:75]}
timeouts: {pending: 1s, run: 2h, grace: 1m}
max_cost: 20 USD
queue: q
pod: {spec: {a: 1}}
target: lab
)";

TEST(Serialize, RoundTripsAllMembers) {
  JobSpec spec = ParseSpec(kFullSpec, "/home/ana/proj");
  const Value value = ToValue(spec);
  auto again = FromValue(*Value::FromJson(value.ToJson()));
  ASSERT_TRUE(again) << again.error().message;
  EXPECT_EQ(ToValue(*again), value);
  EXPECT_EQ(again->bundle.root, "..");
  EXPECT_EQ(again->dependencies.file, "sub/pyproject.toml");

  again->bundle.root = spec.bundle.root;
  again->dependencies.file = spec.dependencies.file;
  spec.directory.clear();
  spec.positions.clear();
  EXPECT_EQ(*again, spec);
}

TEST(Serialize, IsIndependentOfCheckout) {
  EXPECT_EQ(ToValue(ParseSpec(kFullSpec, "/home/ana/proj")),
            ToValue(ParseSpec(kFullSpec, "/srv/ci/proj")));
}

TEST(Serialize, OmitsDefaults) {
  EXPECT_EQ(ToValue(ParseSpec("run: [a, b]", "/x")).ToJson(),
            R"({"name":"a","accelerator":["cpu"],"run":["a","b"],"spot":false,"slices":1,)"
            R"("retry":{"attempts":1,"on":["preempted","infrastructure"]},)"
            R"("timeouts":{"grace":30000}})");
}

TEST(Serialize, RoundTripsAlternativeForms) {
  for (const char* text :
       {"run: echo hi", "run: x\nimage: a/b:c\ndependencies: null", "steps: {a: {run: x}}",
        "run: x\nargs: [1, a]", "run: x\nimage: {dockerfile: ../D}",
        "run: x\nimage: {dockerfile: d/D, context: .}", "run: x\narray: {count: 9}",
        "run: x\narray: {count: 9, max_failed: 2}", "run: x\nretry: {attempts: 2, on: []}"}) {
    const Value value = ToValue(ParseSpec(text, "/x/y"));
    const auto again = FromValue(value);
    ASSERT_TRUE(again) << text << ": " << again.error().message;
    EXPECT_EQ(ToValue(*again), value) << text;
  }
}

TEST(Serialize, ReportsInvalidFields) {
  EXPECT_EQ(SpecError("[]"), "spec: expected a map, found a list");
  EXPECT_EQ(SpecError(R"({"name": 3})"), "spec: name: expected a string, found a number");
  EXPECT_NE(SpecError(R"({"accelerator": ["v9-1"]})")
                .find("spec: accelerator: v9-1 is not an accelerator"),
            std::string::npos);
  EXPECT_NE(SpecError(R"({"function": "x"})").find("module:callable"), std::string::npos);
  EXPECT_EQ(SpecError(R"({"retry": {"on": ["exit:x"]}})"),
            "spec: retry: on: expected preempted, infrastructure or exit:N, found exit:x");
  EXPECT_EQ(SpecError(R"({"slices": -1})"), "spec: slices: is out of range");
  EXPECT_EQ(SpecError(R"({"slices": 4294967296})"), "spec: slices: is out of range");
  EXPECT_EQ(SpecError(R"({"resources": {"memory": -1}})"), "spec: resources: memory: is negative");
  EXPECT_EQ(SpecError(R"({"timeouts": {"run": -1}})"), "spec: timeouts: run: is negative");
  EXPECT_EQ(SpecError(R"({"run": [1]})"), "spec: run: expected strings, found a number");
  EXPECT_EQ(SpecError(R"({"run": {}})"), "spec: run: expected a list, found a map");
  EXPECT_EQ(SpecError(R"({"args": 3})"), "spec: args: expected a map, found a number");
  EXPECT_EQ(SpecError(R"({"env": []})"), "spec: env: expected a map, found a list");
  EXPECT_EQ(SpecError(R"({"env": {"A": 1}})"), "spec: env: A: expected a string, found a number");
  EXPECT_EQ(SpecError(R"({"data": {"/d": {"mode": "copy"}}})"),
            "spec: data: /d: source: is missing, expected a string");
  EXPECT_EQ(SpecError(R"({"bundle": {"exclude": 1}})"),
            "spec: bundle: exclude: expected a list, found a number");
}

TEST(CheckText, FindsBytesInEveryText) {
  const std::string bytes = "a\xff";
  JobSpec good;
  good.accelerators = {*ParseAccelerator("cpu")};
  good.run = Command{"echo", {}};
  good.bundle.root = "/" + bytes;
  good.dependencies.file = "/" + bytes;
  good.data["/data"] = {"/" + bytes};
  EXPECT_TRUE(CheckText(good));
  const std::vector<std::pair<const char*, std::function<void(JobSpec&)>>> cases{
      {"name", [&](JobSpec& spec) { spec.name = bytes; }},
      {"run", [&](JobSpec& spec) { spec.run = Command{bytes, {}}; }},
      {"run[1]", [&](JobSpec& spec) { spec.run = Command{"", {"echo", bytes}}; }},
      {"args[0]", [&](JobSpec& spec) { spec.args.positional = {Value(bytes)}; }},
      {"args.x.y[0]",
       [&](JobSpec& spec) {
         spec.args.named = {{"x", Value(Value::Map{{"y", Value(Value::List{Value(bytes)})}})}};
       }},
      {"args.a", [&](JobSpec& spec) { spec.args.named = {{bytes, Value(1)}}; }},
      {"env.X", [&](JobSpec& spec) { spec.env["X"] = bytes; }},
      {"env.a", [&](JobSpec& spec) { spec.env[bytes] = "x"; }},
      {"secrets[0]", [&](JobSpec& spec) { spec.secrets = {bytes}; }},
      {"data./a", [&](JobSpec& spec) { spec.data["/" + bytes] = {"/x"}; }},
      {"queue", [&](JobSpec& spec) { spec.queue = bytes; }},
      {"pod.x", [&](JobSpec& spec) { spec.pod = Value(Value::Map{{"x", Value(bytes)}}); }}};
  for (const auto& [key, change] : cases) {
    JobSpec spec = good;
    change(spec);
    const auto checked = CheckText(spec);
    ASSERT_FALSE(checked) << key;
    EXPECT_TRUE(checked.error().message.starts_with(key)) << checked.error().message;
    EXPECT_NE(checked.error().message.find(": not valid UTF-8"), std::string::npos);
  }
}

}  // namespace
}  // namespace kinetic::jobspec

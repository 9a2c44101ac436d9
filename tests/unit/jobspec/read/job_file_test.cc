#include "kinetic/job_file.h"

#include "base/files/file_system.h"

#include <gtest/gtest.h>

#include <array>
#include <functional>
#include <vector>

namespace kinetic {
namespace {

using std::chrono::minutes;
using std::chrono::seconds;

JobFileOptions FileOptions() {
  JobFileOptions options;
  options.directory = "/home/ana";
  options.environment = {{"HOME", "/home/ana"}, {"WANDB_PROJECT", "digits"}};
  return options;
}

JobSpec ParseFile(std::string_view text, const JobFileOptions& options = FileOptions(),
                  const Path& file = "proj/job.yaml") {
  const auto spec = ParseJobFile(text, file, options);
  EXPECT_TRUE(spec) << (spec ? "" : spec.error().message);
  return spec.value_or(JobSpec{});
}

std::string FileError(std::string_view text, const JobFileOptions& options = FileOptions(),
                      const Path& file = "job.yaml") {
  const auto spec = ParseJobFile(text, file, options);
  EXPECT_FALSE(spec) << text;
  return spec ? "" : spec.error().message;
}

TEST(JobFile, ReadsTheFolderOfTheJob) {
  EXPECT_EQ(ParseFile("run: ls\n").workdir, "") << "the job file's folder";
  EXPECT_EQ(ParseFile("run: ls\nworkdir: ./a//b/\n").workdir, "a/b");
  EXPECT_EQ(ParseFile("run: ls\nworkdir: .\n").workdir, ".");
  JobFileOptions options = FileOptions();
  options.command = {"ls"};
  EXPECT_EQ(ParseFile("run: ls\n", options).workdir, "/home/ana") << "the caller's folder";
  options.set = {"workdir=sub"};
  EXPECT_EQ(ParseFile("run: ls\n", options).workdir, "sub");
  for (const char* path : {"/a", "..", "../a", "a/../..", "''"})
    EXPECT_EQ(FileError("run: ls\nworkdir: " + std::string(path) + "\n")
                  .find("job.yaml:2:10: workdir: found"),
              0U);
}

constexpr std::string_view kFullFile = R"(version: 1
name: genz-sft
accelerator: [v5litepod-1, gpu-l4]
function: finetune:Trainer.fit
args: {epochs: 3, prompts: ["What is gravity?"]}
bundle: {root: ., exclude: ["*.ckpt"], default_excludes: false}
dependencies: {file: ../pyproject.toml, extras: [train], groups: [eval]}
python: "3.12"
env: {KERAS_BACKEND: jax, WANDB_PROJECT: null, N: 007, FLAG: true}
secrets: [KAGGLE_API_TOKEN, "WANDB_*"]
data:
  /data: ./dataset
  /weights/: {source: gs://b/p/, mode: mount}
resources: {cpu: 1.5, memory: 32Gi, disk: 100G, shm: 2097152}
spot: true
slices: 2
array: {count: 100, parallel: 20}
retry: {attempts: 3, on: [infrastructure, exit:75, exit:75]}
timeouts: {pending: 30m, run: 24h, grace: 2m}
max_cost: 20 USD
queue: team-a
pod: {spec: {priorityClassName: high}}
target: lab
)";

TEST(JobFile, AcceptsCheckDevicesVariable) {
  const std::string name = "KINETIC_CHECK_DEVICES";
  const std::string line = "run: a\nenv: {" + name + ": ";
  EXPECT_EQ(ParseFile(line + "no}\n").env, (std::map<std::string, std::string>{{name, "no"}}));
  EXPECT_EQ(ParseFile(line + "\"yes\"}\n").env.at(name), "yes");
  EXPECT_EQ(FileError(line + "false}\n"),
            "job.yaml:2:30: env." + name + ": found false, expected yes or no");
  JobFileOptions options = FileOptions();
  options.environment[name] = "1";
  EXPECT_EQ(FileError(line + "null}\n", options),
            "job.yaml:2:30: env." + name + ": found 1, expected yes or no");
}

TEST(JobFile, ReadsWork) {
  const JobSpec spec = ParseFile(kFullFile);
  EXPECT_EQ(spec.name, "genz-sft");
  ASSERT_EQ(spec.accelerators.size(), 2U);
  EXPECT_EQ(spec.accelerators[1].name, "gpu-l4");
  EXPECT_EQ(spec.function, (FunctionReference{"finetune", "Trainer.fit"}));
  EXPECT_FALSE(spec.run);
  ASSERT_EQ(spec.args.named.size(), 2U);
  EXPECT_EQ(spec.args.named[0].second, Value(3));
  EXPECT_EQ(spec.args.named[1].second.ToJson(), R"(["What is gravity?"])");
  EXPECT_EQ(spec.directory, "/home/ana/proj");
  EXPECT_EQ(spec.target, "lab");
}

TEST(JobFile, ReadsPlacement) {
  const JobSpec spec = ParseFile(kFullFile);
  EXPECT_EQ(spec.data.at("/data"), (DataSource{"/home/ana/proj/dataset", false}));
  EXPECT_EQ(spec.data.at("/weights"), (DataSource{"gs://b/p/", true}));
  EXPECT_TRUE(spec.spot);
  EXPECT_EQ(spec.slices, 2U);
  EXPECT_EQ(spec.queue, "team-a");
  EXPECT_EQ(spec.pod.ToJson(), R"({"spec":{"priorityClassName":"high"}})");
}

TEST(JobFile, ReadsEnvironment) {
  const JobSpec spec = ParseFile(kFullFile);
  EXPECT_EQ(spec.bundle, (BundleSpec{"/home/ana/proj", {"*.ckpt"}, false}));
  EXPECT_EQ(spec.dependencies,
            (DependencySpec{"/home/ana/pyproject.toml", {"train"}, {"eval"}, false}));
  EXPECT_EQ(spec.python, "3.12");
  const std::map<std::string, std::string> env{
      {"FLAG", "true"}, {"KERAS_BACKEND", "jax"}, {"N", "007"}, {"WANDB_PROJECT", "digits"}};
  EXPECT_EQ(spec.env, env);
  EXPECT_EQ(spec.secrets, (std::vector<std::string>{"KAGGLE_API_TOKEN", "WANDB_*"}));
}

TEST(JobFile, ReadsLimits) {
  const JobSpec spec = ParseFile(kFullFile);
  EXPECT_EQ(spec.resources, (Resources{1.5, 32ULL << 30, 100'000'000'000, 2 << 20}));
  ASSERT_TRUE(spec.array);
  EXPECT_EQ(*spec.array, (ArraySpec{100, 20, {}}));
  EXPECT_EQ(spec.retry, (RetrySpec{3, false, true, {75}}));
  EXPECT_EQ(spec.timeouts, (Timeouts{minutes(30), std::chrono::hours(24), minutes(2)}));
  EXPECT_EQ(spec.max_cost, "20 USD");
}

TEST(JobFile, AppliesDefaults) {
  const JobSpec spec = ParseFile("run: echo hi");
  EXPECT_EQ(spec.run, (Command{"echo hi", {}}));
  EXPECT_EQ(spec.accelerators.at(0).name, "cpu");
  EXPECT_FALSE(spec.bundle.root);
  EXPECT_FALSE(spec.dependencies.file);
  EXPECT_FALSE(spec.dependencies.none);
  EXPECT_EQ(spec.retry, RetrySpec{});
  EXPECT_EQ(spec.timeouts.grace, seconds(30));
  EXPECT_EQ(spec.slices, 1U);
  EXPECT_TRUE(spec.pod.IsNull());
}

TEST(JobFile, TreatsNullAsAbsent) {
  const JobSpec spec = ParseFile(
      "run: echo\nimage: null\ndependencies: ~\ntarget:\nqueue: null\npython: null\narray: null\n");
  EXPECT_FALSE(spec.image);
  EXPECT_FALSE(spec.array);
  EXPECT_TRUE(spec.dependencies.none);
  EXPECT_EQ(spec.target, "");
}

TEST(JobFile, AcceptsFormsOfRunImageAndDependencies) {
  EXPECT_EQ(ParseFile("run: [python, train.py, --n, 1]").run,
            (Command{"", {"python", "train.py", "--n", "1"}}));
  EXPECT_EQ(ParseFile("run: x\nimage: ghcr.io/org/a:1\n").image,
            (ImageSpec{"ghcr.io/org/a:1", "", ""}));
  EXPECT_EQ(ParseFile("run: x\nimage: {dockerfile: d/Dockerfile}\ndependencies: null\n").image,
            (ImageSpec{"", "/home/ana/proj/d/Dockerfile", ""}));
  EXPECT_EQ(ParseFile("run: x\nimage: {dockerfile: d/Dockerfile, context: .}\n").image,
            (ImageSpec{"", "/home/ana/proj/d/Dockerfile", "/home/ana/proj"}));
  EXPECT_EQ(ParseFile("run: x\ndependencies: req.txt\n").dependencies.file,
            "/home/ana/proj/req.txt");
  EXPECT_EQ(ParseFile("steps: {a: {run: x}}").steps.ToJson(), R"({"a":{"run":"x"}})");
}

TEST(JobFile, AcceptsAnchors) {
  const JobSpec spec = ParseFile("run: x\nargs:\n  a: &v [1, 2]\n  b: *v\n");
  EXPECT_EQ(spec.args.named[1].second.ToJson(), "[1,2]");
}

TEST(JobFile, CountsPositionsInCharacters) {
  const JobSpec spec = ParseFile("env: {ü: x, resources: y}\n", [] {
    auto options = FileOptions();
    options.set = {"env={A: b}", "resources.memory=1Gi"};
    options.command = {"echo"};
    return options;
  }());
  EXPECT_EQ(spec.positions.at("resources.memory").ToString(), "--set resources.memory");
  const JobSpec other = ParseFile("run: echo\nargs: [\"üü\", {$path: x}]\n");
  EXPECT_EQ(other.positions.at("args").ToString(), "proj/job.yaml:2:7");
  EXPECT_EQ(other.positions.at("args[1]").ToString(), "proj/job.yaml:2:22");
}

TEST(JobFile, ReportsPositionsOnLongLines) {
  std::string text = "run: x\nargs: {";
  for (int i = 0; i < 2000; ++i) text += "ü" + std::to_string(i) + ": é, ";
  const std::string line = text.substr(text.find('\n') + 1);
  const auto characters = line.size() - 2000 * 2;
  const JobSpec spec = ParseFile(text + "last: 1}\n");
  EXPECT_EQ(spec.positions.at("args.last").ToString(),
            "proj/job.yaml:2:" + std::to_string(characters + 7));
}

TEST(JobFile, RecordsDataPositionByNormalizedPath) {
  const JobSpec spec = ParseFile(kFullFile);
  EXPECT_EQ(spec.positions.at("data./weights").line, 13);
}

TEST(JobFile, DerivesName) {
  const auto name = [](std::string_view text, const char* file) {
    return ParseFile(text, FileOptions(), file).name;
  };
  EXPECT_EQ(name("run: echo", "Fine Tune_v2.yaml"), "fine-tune-v2");
  EXPECT_EQ(name("function: pkg.finetune:Trainer.fit", "job.yaml"), "pkg-finetune-trainer-fit");
  EXPECT_EQ(name("run: python -u src/train.py --x 1", "job.yaml"), "train");
  EXPECT_EQ(name("run: [/usr/bin/env, ls]", "job.yaml"), "env");
  EXPECT_EQ(name("run: \"|||\"", "job.yaml"), "job");
  EXPECT_EQ(name("run: echo", std::string(100, 'a').append(".yaml").c_str()), std::string(63, 'a'));
  EXPECT_EQ(name("run: x\nname: given", "other.yaml"), "given");
}

TEST(JobFile, SortsAndLimitsErrors) {
  std::string text = "run: echo\nsecrets:\n";
  for (int i = 0; i < 80; ++i) text += "  - a b\n";
  const auto spec = ParseJobFile(text, "job.yaml", FileOptions());
  ASSERT_FALSE(spec);
  const auto& error = spec.error();
  EXPECT_EQ(error.code, ErrorCode::kInvalidArgument);
  EXPECT_EQ(error.details, (std::vector<std::pair<std::string, std::string>>{{"errors", "80"}}));
  EXPECT_EQ(std::count(error.message.begin(), error.message.end(), '\n'), 50);
  EXPECT_TRUE(error.message.starts_with("job.yaml:3:5: secrets[0]: ")) << error.message;
  EXPECT_TRUE(error.message.ends_with("\njob.yaml: and 30 more")) << error.message;
}

TEST(JobFile, LimitsFileSize) {
  const std::string large = "run: echo\n#" + std::string(5U << 20, 'x');
  EXPECT_EQ(
      FileError(large),
      "job.yaml: has 5242891 bytes, more than 4194304; move large arguments to a file: $json, "
      "$jsonl");
  EXPECT_EQ(FileError(std::string_view("run: a\0b", 8)), "job.yaml:1:1: contains a NUL byte");
}

TEST(JobFile, RejectsAliasExpansion) {
  std::string text = "run: echo\na0: &a0 [x,x,x,x,x,x,x,x,x,x]\n";
  for (int i = 1; i < 12; ++i) {
    const auto name = std::to_string(i);
    const auto before = "*a" + std::to_string(i - 1);
    text += "a" + name + ": &a" + name + " [" + before + ", " + before + ", " + before + ", " +
            before + ", " + before + ", " + before + ", " + before + ", " + before + "]\n";
  }
  EXPECT_NE(FileError(text).find("more than 1000000 values"), std::string::npos);
}

TEST(JobFile, RejectsNestedAliases) {
  std::string text = "run: echo\na0: &a0 [x]\n";
  for (int i = 1; i < 300; ++i) {
    text += "a" + std::to_string(i) + ": &a" + std::to_string(i) + " [*a" + std::to_string(i - 1) +
            "]\n";
  }
  EXPECT_NE(FileError(text).find("nested deeper than 100 levels"), std::string::npos);
}

/// Values at and beyond the ends of every range and of every number type.
constexpr std::array<std::string_view, 52> kExtremes{"0",
                                                     "-0",
                                                     "-1",
                                                     "1",
                                                     "2",
                                                     "0.0",
                                                     "1e-320",
                                                     "0.0001",
                                                     "0.001",
                                                     "1.5",
                                                     "100",
                                                     "101",
                                                     "1000",
                                                     "1001",
                                                     "100000",
                                                     "100001",
                                                     "2147483648",
                                                     "4294967296",
                                                     "9223372036854775807",
                                                     "9223372036854775808",
                                                     "18446744073709551616",
                                                     "1e18",
                                                     "1e308",
                                                     "1e309",
                                                     "-1e308",
                                                     ".inf",
                                                     "-.inf",
                                                     ".nan",
                                                     "0x7fffffffffffffff",
                                                     "0x400",
                                                     "1_000",
                                                     "0s",
                                                     "0.1ms",
                                                     "1ms",
                                                     "1s",
                                                     "3650d",
                                                     "3651d",
                                                     "106751d",
                                                     "106752d",
                                                     "292277024d",
                                                     "99999999999999999999d",
                                                     "1e9s",
                                                     "0Ki",
                                                     "0.1Ki",
                                                     "1Ki",
                                                     "1Ei",
                                                     "1.1Ei",
                                                     "7.9Ei",
                                                     "8Ei",
                                                     "99999999999999999999Ei",
                                                     "-1Gi",
                                                     "1E308"};

/// Checks a spec that was accepted: what it leads to can be computed with.
void ExpectSane(const JobSpec& spec, const std::string& text) {
  using std::chrono::milliseconds;
  const milliseconds longest = std::chrono::days(3650);
  for (const auto& time : {spec.timeouts.pending, spec.timeouts.run}) {
    EXPECT_TRUE(!time || (*time >= milliseconds(1) && *time <= longest)) << text;
  }
  EXPECT_TRUE(spec.timeouts.grace >= milliseconds(0) && spec.timeouts.grace <= longest) << text;
  EXPECT_TRUE(!spec.resources.cpu || (*spec.resources.cpu >= 0.001 && *spec.resources.cpu <= 1e5))
      << text;
  for (const auto& bytes :
       {spec.resources.memory_bytes, spec.resources.disk_bytes, spec.resources.shm_bytes}) {
    EXPECT_TRUE(!bytes || (*bytes >= 1 << 20 && *bytes <= 1ULL << 60)) << text;
  }
  EXPECT_TRUE(spec.slices >= 1 && spec.slices <= 1000) << text;
  EXPECT_TRUE(spec.retry.attempts >= 1 && spec.retry.attempts <= 100) << text;
  EXPECT_TRUE(!spec.array || (spec.array->count >= 1 && spec.array->count <= 100'000)) << text;
}

/// Every key with a range, whatever it is: the value is refused with the range and its position, or
/// is read as what was written.
TEST(ParseJobFile, ExtremeValuesAreReadOrRefusedWithTheRange) {
  struct Key {
    const char* before;
    const char* after;
    const char* expected;
    std::function<bool(const JobSpec&)> is_set;
  };
  const std::vector<Key> keys{
      {"resources: {cpu: ", "}", "from 0.001 to 100000",
       [](const JobSpec& spec) { return spec.resources.cpu.has_value(); }},
      {"resources: {memory: ", "}", "from 1Mi to 1Ei",
       [](const JobSpec& spec) { return spec.resources.memory_bytes.has_value(); }},
      {"resources: {disk: ", "}", "from 1Mi to 1Ei",
       [](const JobSpec& spec) { return spec.resources.disk_bytes.has_value(); }},
      {"resources: {shm: ", "}", "from 1Mi to 1Ei",
       [](const JobSpec& spec) { return spec.resources.shm_bytes.has_value(); }},
      {"timeouts: {pending: ", "}", "from 1ms to 3650d",
       [](const JobSpec& spec) { return spec.timeouts.pending.has_value(); }},
      {"timeouts: {run: ", "}", "from 1ms to 3650d",
       [](const JobSpec& spec) { return spec.timeouts.run.has_value(); }},
      {"timeouts: {grace: ", "}", "from 0s to 3650d", [](const JobSpec&) { return true; }},
      {"retry: {attempts: ", "}", "from 1 to 100", [](const JobSpec&) { return true; }},
      {"slices: ", "", "from 1 to 1000", [](const JobSpec&) { return true; }},
      {"array: {count: ", "}", "from 1 to 100000",
       [](const JobSpec& spec) { return spec.array.has_value(); }},
      {"array: {count: 1, parallel: ", "}", "from 1 to 100000",
       [](const JobSpec& spec) { return spec.array.has_value(); }},
      {"array: {count: 1, tasks_per_pod: ", "}", "from 1 to 100000",
       [](const JobSpec& spec) { return spec.array.has_value(); }},
      {"array: {count: 1, max_failed: ", "}", "from 0 to 100000",
       [](const JobSpec& spec) { return spec.array && spec.array->max_failed; }}};
  int accepted = 0;
  for (const Key& key : keys) {
    for (const auto value : kExtremes) {
      for (const char* quote : {"", "'"}) {
        const std::string text = std::string("run: a\n") + key.before + quote + std::string(value) +
                                 quote + key.after + "\n";
        const auto spec = ParseJobFile(text, "job.yaml", FileOptions());
        if (spec) {
          ++accepted;
          EXPECT_TRUE(key.is_set(*spec)) << text;
          ExpectSane(*spec, text);
        } else {
          EXPECT_TRUE(spec.error().message.starts_with("job.yaml:2:")) << spec.error().message;
          EXPECT_NE(spec.error().message.find(key.expected), std::string::npos)
              << text << spec.error().message;
        }
      }
    }
  }
  EXPECT_GT(accepted, 50);
}

TEST(ParseJobFile, RefusesSizesWithoutAUnit) {
  for (const auto& [size, advice] :
       {std::pair("8", "; did you mean 8Gi?"), std::pair("'1.5'", "; did you mean 1.5Gi?"),
        std::pair("2048", "; did you mean 2048Mi?"), std::pair("8Ki", "such as 32Gi"),
        std::pair("0", "such as 32Gi")}) {
    for (const char* key : {"memory", "disk", "shm"}) {
      const std::string error =
          FileError(std::string("run: a\nresources: {") + key + ": " + size + "}\n", FileOptions());
      EXPECT_TRUE(error.ends_with(advice)) << error;
    }
  }
  EXPECT_EQ(ParseFile("run: a\nresources: {memory: 1048576}\n").resources.memory_bytes, 1U << 20);
}

/// Paths in a job that name the same file, or a file in another source.
TEST(ParseJobFile, RejectsOverlappingDataPaths) {
  for (const char* paths : {"/a: x, /a/b: y", "/a/b: y, /a: x", "/a: x, /a/b/c/d: y",
                            "/a/b/c: x, /c: z, /a: y", "/a: x, /a/: y", "/a: x, //a: y",
                            "/a: x, /b/../a: y", "/a: x, /./a/.: y", "/a: x, /b/../a/c: y"}) {
    const std::string error =
        FileError(std::string("run: a\ndata: {") + paths + "}\n", FileOptions());
    EXPECT_TRUE(error.starts_with("job.yaml:2:")) << error;
    EXPECT_TRUE(error.find("overlap") != std::string::npos ||
                error.find("duplicate") != std::string::npos)
        << error;
  }
  for (const char* paths : {"/a: x, /ab: y", "/a/b: x, /a/c: y, /a-b: z", "/a.b: x, /a: y"}) {
    (void)ParseFile(std::string("run: a\ndata: {") + paths + "}\n");
  }
  const std::string long_name(300, 'x');
  EXPECT_NE(FileError("run: a\ndata: {/" + long_name + ": x}\n").find("too long"),
            std::string::npos);
}

TEST(ParseJobFile, FollowsLinksOfLocalDataOnly) {
  EXPECT_TRUE(ParseFile("run: a\ndata: {/a: {source: x, follow_links: true}}\n")
                  .data.at("/a")
                  .follow_links);
  for (const char* source : {"gs://b/p/", "data://mnist"}) {
    EXPECT_NE(FileError(std::string("run: a\ndata: {/a: {source: \"") + source +
                        "\", follow_links: true}}\n")
                  .find("job.yaml:2:"),
              std::string::npos);
  }
}

}  // namespace
}  // namespace kinetic

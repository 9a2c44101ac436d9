#include "kinetic/job_file.h"

#include <gtest/gtest.h>

namespace kinetic {
namespace {

/// Parses a file with some options. Returns the spec or the message.
struct ParseOutcome {
  JobSpec spec;
  std::string error;
};

ParseOutcome ParseWith(std::string_view text, JobFileOptions options) {
  options.directory = "/here";
  options.environment = {{"HOME", "/home/ana"}};
  auto spec = ParseJobFile(text, text.empty() ? "" : "/there/job.yaml", options);
  if (spec) return {*std::move(spec), ""};
  return {{}, spec.error().message};
}

JobFileOptions SetOptions(std::vector<std::string> set) { return {.set = std::move(set)}; }
JobFileOptions ArgOptions(std::vector<std::string> args) { return {.args = std::move(args)}; }
JobFileOptions EnvOptions(std::vector<std::string> env) { return {.env = std::move(env)}; }

TEST(Overlay, SetReplacesAndAdds) {
  const auto [spec, error] = ParseWith(
      "run: a\nresources: {memory: 1Gi, cpu: 2}\n",
      SetOptions({"resources.memory=2Gi", "run=b", "timeouts.run=1h", "spot=true", "run=c"}));
  EXPECT_EQ(error, "");
  EXPECT_EQ(spec.resources.memory_bytes, 2ULL << 30);
  EXPECT_EQ(spec.resources.cpu, 2);
  EXPECT_EQ(spec.run->shell, "c");
  EXPECT_EQ(spec.timeouts.run, std::chrono::hours(1));
  EXPECT_TRUE(spec.spot);
  EXPECT_EQ(spec.positions.at("spot").ToString(), "--set spot");
}

TEST(Overlay, SetAcceptsYamlAndQuotedNames) {
  const auto [spec, error] = ParseWith(
      "run: a\n",
      SetOptions({R"(data."/a.b=c"=gs://b/p)", "retry={attempts: 2, on: [exit:3]}", "queue="}));
  EXPECT_EQ(error, "");
  EXPECT_EQ(spec.data.at("/a.b=c").source, "gs://b/p");
  EXPECT_EQ(spec.retry.on_exit_codes, std::vector<int>{3});
}

TEST(Overlay, ShortcutsOverrideSet) {
  JobFileOptions options = SetOptions({"queue=a", "spot=true"});
  options.shortcuts = {{"--queue", "queue", "b"}, {"--memory", "resources.memory", "1Gi"}};
  const auto [spec, error] = ParseWith("run: a\n", options);
  EXPECT_EQ(error, "");
  EXPECT_EQ(spec.queue, "b");
  EXPECT_EQ(spec.positions.at("resources.memory").ToString(), "--memory");
  options.shortcuts = {{"--memory", "resources.memory", "lots"}, {"--queue", "queue", "[1"}};
  const std::string message = ParseWith("run: a\n", options).error;
  EXPECT_NE(message.find("--memory: found \"lots\", expected"), std::string::npos);
  EXPECT_NE(message.find("--queue: unclosed list"), std::string::npos);
}

TEST(Overlay, ReportsOptionInSetErrors) {
  EXPECT_EQ(ParseWith("run: a\n", SetOptions({"resources.memory=lots"})).error,
            "--set resources.memory: found \"lots\", expected a size from "
            "1Mi to 1Ei, such as 32Gi");
  EXPECT_EQ(ParseWith("run: a\n", SetOptions({"memory"})).error,
            "--set: found \"memory\", expected key=value, such as resources.memory=32Gi");
  EXPECT_EQ(ParseWith("run: a\n", SetOptions({"run.x=1"})).error,
            "--set run.x: found \"a\" above x, expected a map");
  EXPECT_EQ(ParseWith("run: a\n", SetOptions({"env={A: 1, A: 2}"})).error,
            "--set env: duplicate key \"A\"; first at --set env");
  EXPECT_NE(ParseWith("run: a\n", SetOptions({"env=[1"})).error.find("--set env: unclosed list"),
            std::string::npos);
  EXPECT_EQ(ParseWith("run: a\n", SetOptions({"acelerator=cpu"})).error,
            "--set acelerator: unknown key \"acelerator\"; did you mean accelerator?");
  for (const char* text : {"=1", "a..b=1", ".a=1", "a.\"b=1"}) {
    EXPECT_NE(ParseWith("run: a\n", SetOptions({text})).error, "") << text;
  }
}

TEST(Overlay, ReportsFileErrorsFirst) {
  const std::string error = ParseWith("spot: 3\nrun: a\n", SetOptions({"slices=0"})).error;
  EXPECT_TRUE(error.starts_with("/there/job.yaml:1:7: spot: ")) << error;
  EXPECT_NE(error.find("\n--set slices: found 0, expected"), std::string::npos);
}

TEST(Overlay, SetsArgumentsByName) {
  const auto [spec, error] = ParseWith(
      "function: a:b\nargs: {epochs: 1, rate: 0.1}\n",
      ArgOptions({"epochs=3", "a.b=x", "list=[1, {c: d}]", "text='5'", "empty=", "eq=a=b"}));
  EXPECT_EQ(error, "");
  EXPECT_EQ(
      Value(spec.args.named).ToJson(),
      R"({"epochs":3,"rate":0.1,"a.b":"x","list":[1,{"c":"d"}],"text":"5","empty":null,"eq":"a=b"})");
  EXPECT_EQ(ParseWith("function: a:b\nargs: [1]\n", ArgOptions({"epochs=3"})).error,
            "--arg epochs: found a list as args, expected a map of arguments by name");
  EXPECT_TRUE(ParseWith("function: a:b\nargs: {$json: all.json}\n", ArgOptions({"epochs=3"}))
                  .error.ends_with("--arg epochs: found $json as args, expected a map of "
                                   "arguments by name"));
  EXPECT_EQ(ParseWith("function: a:b\n", ArgOptions({"epochs"})).error,
            "--arg: found \"epochs\", expected name=value, such as epochs=3");
}

TEST(Overlay, SetsVariables) {
  const auto [spec, error] =
      ParseWith("run: a\nenv: {A: 1, B: 2}\n", EnvOptions({"A=x=y", "HOME", "EMPTY=", "N=null"}));
  EXPECT_EQ(error, "");
  const std::map<std::string, std::string> env{
      {"A", "x=y"}, {"B", "2"}, {"EMPTY", ""}, {"HOME", "/home/ana"}, {"N", "null"}};
  EXPECT_EQ(spec.env, env);
  EXPECT_EQ(ParseWith("run: a\n", EnvOptions({"MISSING"})).error,
            "--env MISSING: the variable is not set; set it or specify a value");
  EXPECT_NE(
      ParseWith("run: a\n", EnvOptions({"HF_TOKEN=hf_abc"})).error.find("list it in `secrets`"),
      std::string::npos);
  EXPECT_EQ(ParseWith("run: a\n", EnvOptions({"HF_TOKEN=hf_abc"})).error.find("hf_abc"),
            std::string::npos);
}

TEST(Overlay, AddsSecrets) {
  JobFileOptions options;
  options.secrets = {"HF_TOKEN"};
  EXPECT_EQ(ParseWith("run: a\nsecrets: [A]\n", options).spec.secrets,
            (std::vector<std::string>{"A", "HF_TOKEN"}));
  options.env = {"HF_NAME=x"};
  options.secrets = {"HF_NAME"};
  EXPECT_EQ(ParseWith("run: a\n", options).error,
            "--secret HF_NAME: secrets: HF_NAME is also in `env`; remove one of them");
  options.secrets = {"A B"};
  EXPECT_NE(ParseWith("run: a\n", options).error, "");
}

TEST(Overlay, AcceptsCommandWithoutFile) {
  JobFileOptions options;
  options.command = {"python", "train.py", "a b", "null", "1"};
  options.set = {"accelerator=v5e-1"};
  const auto [spec, error] = ParseWith("", options);
  EXPECT_EQ(error, "");
  EXPECT_EQ(spec.run->argv, options.command);
  EXPECT_EQ(spec.accelerators[0].name, "v5litepod-1");
  EXPECT_EQ(spec.name, "train");
  EXPECT_EQ(spec.directory, "/here");
}

TEST(Overlay, CommandReplacesWork) {
  JobFileOptions options;
  options.command = {"ls"};
  const auto [spec, error] = ParseWith("function: a:b\nargs: {x: {y: 1}}\nspot: true\n", options);
  EXPECT_EQ(error, "");
  EXPECT_FALSE(spec.function);
  EXPECT_TRUE(spec.args.named.empty());
  EXPECT_TRUE(spec.spot);
}

TEST(Overlay, ResolvesOptionPathsAgainstWorkingDirectory) {
  const auto [spec, error] =
      ParseWith("run: a\ndependencies: req.txt\n", SetOptions({"bundle.root=."}));
  EXPECT_EQ(error, "");
  EXPECT_EQ(spec.dependencies.file, "/there/req.txt");
  EXPECT_EQ(spec.bundle.root, "/here");
}

/// Every option that carries text into the record. JSON cannot carry other bytes.
TEST(Overlay, RejectsBytesThatAreNotUtf8) {
  struct Case {
    JobFileOptions options;
    const char* place;
  };
  for (const std::string bytes : {"\xff", "caf\xe9", "\xed\xa0\x80"}) {
    const std::vector<Case> cases{{ArgOptions({"x=" + bytes}), "--arg x: "},
                                  {ArgOptions({bytes + "=1"}), "--arg "},
                                  {ArgOptions({"x=[1, {a: " + bytes + "}]"}), "--arg x: "},
                                  {EnvOptions({"X=" + bytes}), "--env X: "},
                                  {EnvOptions({bytes + "=1"}), "--env "},
                                  {EnvOptions({bytes}), "--env "},
                                  {SetOptions({"env.X=" + bytes}), "--set env.X: "},
                                  {SetOptions({"env." + bytes + "=1"}), "--set "},
                                  {{.shortcuts = {{"--name", "name", bytes}}}, "--name: "},
                                  {{.secrets = {bytes}}, "--secret "},
                                  {{.command = {"echo", bytes}}, "the command after --: "}};
    for (const Case& one : cases) {
      const std::string error = ParseWith("function: a:b\n", one.options).error;
      EXPECT_TRUE(error.starts_with(one.place)) << one.place << error;
      EXPECT_EQ(error.find("\uFFFD"), std::string::npos) << error;
    }
  }
}

TEST(Overlay, RejectsVariablesThatAreNotUtf8) {
  JobFileOptions options;
  options.directory = "/here";
  options.environment = {{"X", "caf\xe9"}};
  for (const char* text : {"run: a\nenv: {X: null}\n", "function: a:b\nargs: {x: {$env: X}}\n"}) {
    const auto spec = ParseJobFile(text, "/there/job.yaml", options);
    ASSERT_FALSE(spec) << text;
    EXPECT_TRUE(spec.error().message.starts_with("/there/job.yaml:2:")) << spec.error().message;
    EXPECT_NE(spec.error().message.find("not valid UTF-8"), std::string::npos);
  }
}

}  // namespace
}  // namespace kinetic

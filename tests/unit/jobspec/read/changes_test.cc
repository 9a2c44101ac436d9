#include "jobspec/read/changes.h"

#include "jobspec/serialize.h"

#include <gmock/gmock.h>

#include <chrono>

namespace kinetic::jobspec {
namespace {

using ::testing::ElementsAre;
using ::testing::HasSubstr;

JobSpec Base() {
  JobSpec spec;
  spec.name = "digits";
  spec.accelerators = {*ParseAccelerator("cpu")};
  spec.function = FunctionReference{"train", "main"};
  spec.args.named = {{"epochs", Value(3)},
                     {"model", Value(Value::Map{{"size", 2}, {"name", "a"}})}};
  spec.env = {{"MODE", "fast"}};
  spec.secrets = {"TOKEN"};
  spec.data = {{"/data", {.source = "./data"}}};
  spec.resources = {.cpu = 2, .memory_bytes = 1U << 30};
  spec.retry = {.attempts = 2, .on_preempted = false, .on_exit_codes = {3}};
  spec.pod = Value(Value::Map{{"spec", Value(Value::Map{{"a", 1}})}});
  return spec;
}

JobFileOptions Set(std::vector<std::string> set) {
  return {.set = std::move(set), .directory = "/w"};
}

std::string ErrorOf(const JobFileOptions& options, JobSpec base = Base()) {
  const auto changed = ChangeSpec(std::move(base), options);
  EXPECT_FALSE(changed);
  return changed ? "" : changed.error().message;
}

TEST(ChangeSpec, NothingChangesWithoutOptions) {
  const auto changed = ChangeSpec(Base(), {.directory = "/w"});
  ASSERT_TRUE(changed) << changed.error().message;
  EXPECT_EQ(*changed, Base());
}

TEST(ChangeSpec, ChangesOnlyNamedKeys) {
  const auto changed = ChangeSpec(
      Base(), Set({"name=other", "accelerator=[v5litepod-4, gpu-l4]", "resources.memory=2Gi",
                   "timeouts={run: 1h, grace: 5s}", "retry.attempts=5", "function=train:test",
                   "queue=team-a", "spot=true"}));
  ASSERT_TRUE(changed) << changed.error().message;
  EXPECT_EQ(changed->name, "other");
  EXPECT_EQ(changed->accelerators.size(), 2U);
  EXPECT_EQ(changed->resources, (Resources{.cpu = 2, .memory_bytes = 2U << 30}));
  EXPECT_EQ(changed->timeouts.run, std::chrono::hours(1));
  EXPECT_EQ(changed->timeouts.grace, std::chrono::seconds(5));
  EXPECT_EQ(changed->retry.attempts, 5U);
  EXPECT_THAT(changed->retry.on_exit_codes, ElementsAre(3));
  EXPECT_FALSE(changed->retry.on_preempted);
  EXPECT_EQ(changed->function->callable, "test");
  EXPECT_EQ(changed->pod, Base().pod);
  EXPECT_EQ(changed->args, Base().args);
  EXPECT_EQ(changed->positions.at("resources.memory").ToString(), "--set resources.memory");
}

TEST(ChangeSpec, ArgumentsVariablesAndSecrets) {
  JobFileOptions options = Set({"args.model.size=7"});
  options.args = {"epochs=4", "rate=0.5", "file={$path: /data/a.csv}"};
  options.env = {"MODE=slow", "NEW"};
  options.environment = {{"NEW", "1"}};
  options.secrets = {"TOKEN", "KEY_*"};
  const auto changed = ChangeSpec(Base(), options);
  ASSERT_TRUE(changed) << changed.error().message;
  EXPECT_EQ(Value(changed->args.named).ToJson(),
            R"({"epochs":4,"model":{"size":7,"name":"a"},"rate":0.5,)"
            R"("file":{"$path":"/data/a.csv"}})");
  EXPECT_EQ(changed->env, (std::map<std::string, std::string>{{"MODE", "slow"}, {"NEW", "1"}}));
  EXPECT_THAT(changed->secrets, ElementsAre("TOKEN", "KEY_*"));
  options.args = {"model={size: 9}"};
  options.set.clear();
  EXPECT_EQ(ChangeSpec(Base(), options)->args.named[1].second.ToJson(), R"({"size":9})");
}

TEST(ChangeSpec, PositionalArguments) {
  JobSpec base = Base();
  base.args = {.positional = {Value(1), Value(2)}, .named = {}};
  const auto changed = ChangeSpec(base, Set({"args=[3]"}));
  ASSERT_TRUE(changed) << changed.error().message;
  EXPECT_EQ(Value(changed->args.positional).ToJson(), "[3]");
  JobFileOptions named;
  named.args = {"epochs=1"};
  EXPECT_THAT(ErrorOf(named, base), HasSubstr("--arg epochs: the job's arguments are positional"));
}

TEST(ChangeSpec, RejectsOtherKeys) {
  for (const std::string key :
       {"dependencies", "bundle", "workdir", "python", "image", "pod", "target"}) {
    const std::string value = key == "bundle" ? "bundle.root=."
                              : key == "pod"  ? "pod.spec.b=2"
                                              : key + "='3.12'";
    EXPECT_THAT(ErrorOf(Set({value})), HasSubstr(key + " of an earlier job cannot be changed"));
  }
  EXPECT_THAT(ErrorOf(Set({"data./new=./x"})), HasSubstr("data of an earlier job"));
  EXPECT_THAT(ErrorOf(Set({"array.count=2"})), HasSubstr("array"));
  EXPECT_THAT(ErrorOf(Set({"nonsense=1"})),
              HasSubstr("--set nonsense: unknown key \"nonsense\"; run 'kinetic schema'"));
  EXPECT_THAT(ErrorOf(Set({"env.TOKEN=1"})), HasSubstr("TOKEN"));
}

TEST(ChangeSpec, ErrorsNameKeysThatExist) {
  EXPECT_THAT(ErrorOf(Set({"resource.cpu=4"})), HasSubstr("; did you mean resources?"));
  EXPECT_THAT(ErrorOf(Set({"resources.memori=2Gi"})), HasSubstr("; did you mean memory?"));
  const auto changed = ChangeSpec(Base(), Set({"data./new=./x"}));
  ASSERT_FALSE(changed);
  EXPECT_EQ(changed.error().hint,
            "keys that can be changed: accelerator, args, env, flex_start, function, name, queue, "
            "reservation, resources, retry, run, secrets, slices, spot, tags, timeouts; to "
            "change others, submit the job from its files with 'kinetic run'");
}

TEST(ChangeSpec, RejectsLocalPaths) {
  for (const std::string path : {"train.csv", "/w/train.csv", "/data/../etc"}) {
    EXPECT_THAT(ErrorOf(Set({"args.file={$path: " + path + "}"})), HasSubstr("$path")) << path;
    EXPECT_THAT(ErrorOf(Set({"args=[[{$path: " + path + "}]]"})), HasSubstr("$path")) << path;
  }
}

TEST(ChangeSpec, SecretThatIsAlsoVariable) {
  JobFileOptions options;
  options.secrets = {"MODE"};
  EXPECT_EQ(ErrorOf(options), "secrets: MODE is also in `env`; remove one of them");
}

TEST(ChangeSpec, CommandOfProgram) {
  JobSpec base = Base();
  base.function.reset();
  base.args = {};
  base.run = Command{.shell = "", .argv = {"ls"}};
  const auto changed = ChangeSpec(base, Set({"run=[ls, -l]"}));
  ASSERT_TRUE(changed) << changed.error().message;
  EXPECT_THAT(changed->run->argv, ElementsAre("ls", "-l"));
  EXPECT_FALSE(changed->function);
}

}  // namespace
}  // namespace kinetic::jobspec

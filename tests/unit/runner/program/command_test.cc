#include "runner/program/command.h"

#include "support/temp_tree.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

namespace kinetic::runner {
namespace {

using ::testing::ElementsAre;

class JobProgramTest : public ::testing::Test {
 protected:
  JobProgramTest() {
    record_.id = "k-1";
    record_.nonce = "0123456789abcdef0123456789abcdef";
    request_.search_path = "/usr/bin:/bin";
    request_.environment_root = "/env";
  }
  ProgramInputs Inputs() const { return {record_, request_, runtime_, arguments_, "/s", 2}; }

  test::TempTree tree_;
  record::Record record_;
  local::LaunchRequest request_;
  local::Runtime runtime_{tree_.path()};
  Arguments arguments_;
};

TEST_F(JobProgramTest, EnvironmentIsComplete) {
  tree_.MakeFolder("work/src");
  record_.spec.env = {{"A", "1"}, {"KINETIC_JOB_ID", "forged"}, {"PYTHONPATH", "/mine"}};
  request_.secrets = {{"TOKEN", "t"}};
  const auto environment = JobEnvironment(Inputs());
  EXPECT_EQ(environment.at("A"), "1");
  EXPECT_EQ(environment.at("TOKEN"), "t");
  EXPECT_EQ(environment.at("KINETIC_JOB_ID"), "k-1");
  EXPECT_EQ(environment.at("KINETIC_ATTEMPT"), "2");
  EXPECT_EQ(environment.at("KINETIC_JOB_NONCE"), record_.nonce);
  EXPECT_EQ(environment.at("PATH"), (tree_ / "venv/bin").native() + ":/usr/bin:/bin");
  EXPECT_EQ(environment.at("VIRTUAL_ENV"), (tree_ / "venv").native());
  EXPECT_EQ(environment.at("HOME"), runtime_.Home().native());
  EXPECT_EQ(environment.at("PYTHONPATH"),
            runtime_.Work().native() + ":" + (runtime_.Work() / "src").native() + ":/mine");
}

TEST_F(JobProgramTest, DownloadsAreKeptInTheJobCache) {
  EXPECT_FALSE(JobEnvironment(Inputs()).contains("HF_HOME"));
  request_.job_cache = "/cache";
  auto environment = JobEnvironment(Inputs());
  EXPECT_EQ(environment.at("XDG_CACHE_HOME"), "/cache");
  EXPECT_EQ(environment.at("HF_HOME"), "/cache/huggingface");
  EXPECT_EQ(environment.at("TORCH_HOME"), "/cache/torch");
  EXPECT_EQ(environment.at("KERAS_HOME"), "/cache/keras");
  EXPECT_EQ(environment.at("KAGGLEHUB_CACHE"), "/cache/kagglehub");
  EXPECT_EQ(environment.at("NLTK_DATA"), "/cache/nltk_data");
  record_.spec.env = {{"XDG_CACHE_HOME", "/mine"}, {"TORCH_HOME", "/models"}};
  environment = JobEnvironment(Inputs());
  EXPECT_EQ(environment.at("XDG_CACHE_HOME"), "/mine");
  EXPECT_EQ(environment.at("HF_HOME"), "/mine/huggingface");
  EXPECT_EQ(environment.at("TORCH_HOME"), "/models");
}

TEST_F(JobProgramTest, PathExcludesOtherVirtualEnvironments) {
  tree_.Write("mine/pyvenv.cfg", "");
  tree_.MakeFolder("mine/bin");
  request_.search_path = (tree_ / "mine/bin").native() + "/:/bin";
  EXPECT_EQ(JobEnvironment(Inputs()).at("PATH"), (tree_ / "venv/bin").native() + ":/bin");
  request_.environment_root.clear();
  EXPECT_EQ(JobEnvironment(Inputs()).at("PATH"), request_.search_path);
}

TEST_F(JobProgramTest, PythonOfFunctionStartsWithoutTheBundleInItsPath) {
  record_.spec.function = FunctionReference{"m", "f"};
  EXPECT_FALSE(JobEnvironment(Inputs()).contains("PYTHONPATH"));
  record_.spec.env = {{"PYTHONPATH", "/mine"}};
  EXPECT_EQ(JobEnvironment(Inputs()).at("PYTHONPATH"), "/mine");
}

TEST_F(JobProgramTest, CommandGetsArgumentsAsWords) {
  record_.spec.run = Command{{}, {"python", "train.py"}};
  record_.spec.data = {{"/data", {.source = "gs://bucket/x/"}}, {"sets/a", {.source = "/home/a"}}};
  arguments_.named = {{"epochs", 3},
                      {"file", Value::Map{{"$path", "in.csv"}}},
                      {"data", Value::Map{{"$path", "/data/x/y"}}},
                      {"set", Value::Map{{"$path", "sets/a"}}}};
  const auto program = JobProgram(Inputs());
  ASSERT_TRUE(program);
  EXPECT_TRUE(program->exchange.empty());
  EXPECT_THAT(program->argv, ElementsAre("python", "train.py", "--epochs", "3", "--file",
                                         (runtime_.Work() / "in.csv").native(), "--data",
                                         (runtime_.Data() / "data/x/y").native(), "--set",
                                         (runtime_.Work() / "sets/a").native()));
}

TEST_F(JobProgramTest, ShimCallsFunction) {
  record_.spec.function = FunctionReference{"pkg.mod", "Trainer.fit"};
  const auto program = JobProgram(Inputs());
  ASSERT_TRUE(program);
  EXPECT_FALSE(program->exchange.empty());
  EXPECT_EQ(program->argv.front(), (tree_ / "venv/bin/python").native());
  EXPECT_EQ(program->argv.back(), "Trainer.fit");
  EXPECT_EQ(program->argv[program->argv.size() - 2], "pkg.mod");
  const auto shim = WriteShim(PosixFileSystem(), Inputs());
  ASSERT_TRUE(shim);
  EXPECT_EQ(program->argv[4], (*shim / "__main__.py").native());
  EXPECT_TRUE(std::filesystem::exists(*shim / "__main__.py"));
}

TEST_F(JobProgramTest, JobsOfThisMachineShareAnIntactShim) {
  request_.state_dir = tree_ / "state";
  const Path shim = WriteShim(PosixFileSystem(), Inputs()).value();
  const std::string name = "state/shim/" + shim.filename().native() + "/__main__.py";
  const std::string content = tree_.Read(name);
  const auto inode = PosixFileSystem().Lstat(tree_ / name)->inode;
  EXPECT_EQ(WriteShim(PosixFileSystem(), Inputs()).value(), shim);
  EXPECT_EQ(PosixFileSystem().Lstat(tree_ / name)->inode, inode) << "it was not written again";
  tree_.Write(name, "damaged");
  EXPECT_TRUE(WriteShim(PosixFileSystem(), Inputs()));
  EXPECT_EQ(tree_.Read(name), content);
}

TEST_F(JobProgramTest, ProgramOfCppFunctionIsStartedThroughItsLoader) {
  record_.spec.function = FunctionReference{"", "sim::Train"};
  const Path folder = runtime_.Work() / ".kinetic-program";
  const std::string program = folder / "program";
  const auto started = JobProgram(Inputs());
  ASSERT_TRUE(started) << started.error();
  EXPECT_FALSE(started->exchange.empty());
  EXPECT_FALSE(started->calls_python);
  EXPECT_THAT(started->argv, ElementsAre(program, "--kinetic-call-function", "3",
                                         runtime_.Exchange().native(), "sim::Train"));
  tree_.Write("work/.kinetic-program/loader", "");
  auto loaded = JobProgram(Inputs());
  ASSERT_TRUE(loaded) << loaded.error();
  EXPECT_THAT(loaded->argv,
              ElementsAre((folder / "loader").native(), "--library-path", (folder / "lib").native(),
                          program, "--kinetic-call-function", "3", runtime_.Exchange().native(),
                          "sim::Train"));
  loaded->environment["LD_LIBRARY_PATH"] = "/usr/local/nvidia/lib64";
  AddLibraryPath(*loaded);
  EXPECT_EQ(loaded->argv[2], (folder / "lib").native() + ":/usr/local/nvidia/lib64");
}

TEST_F(JobProgramTest, ProgramOfCppFunctionIsSharedByJobsOfThisMachine) {
  record_.spec.function = FunctionReference{"", "Train"};
  record_.data[".kinetic-program"] = {.tree = Sha256::Of("tree"), .file = false};
  request_.state_dir = tree_ / "state";
  const auto started = JobProgram(Inputs());
  ASSERT_TRUE(started) << started.error();
  EXPECT_EQ(started->argv[0],
            (tree_ / "state" / "programs" / Sha256::Of("tree").Hex() / "program").native());
}

TEST_F(JobProgramTest, RunsInTheFolderOfTheRecord) {
  record_.spec.run = Command{{}, {"pwd"}};
  EXPECT_EQ(JobProgram(Inputs())->working_directory, runtime_.Work());
  record_.spec.workdir = "sub/deep";
  const Path folder = runtime_.Work() / "sub/deep";
  const auto program = PrepareProgram(PosixFileSystem(), Inputs());
  ASSERT_TRUE(program);
  EXPECT_EQ(program->working_directory, folder);
  EXPECT_EQ(program->environment.at("PWD"), folder.native());
  EXPECT_TRUE(std::filesystem::is_directory(folder)) << "although the bundle lacks it";
}

TEST_F(JobProgramTest, FailsWithoutPython) {
  record_.spec.function = FunctionReference{"m", "f"};
  request_.environment_root.clear();
  request_.search_path = tree_.path().native();
  EXPECT_EQ(JobProgram(Inputs()).error().code, ErrorCode::kNotFound);
}

using Words = std::vector<std::string>;

std::string InJob(std::string_view path) { return "/job/" + std::string(path); }

Value PathTo(const char* path) { return Value(Value::Map{{"$path", Value(path)}}); }

TEST(ArgumentWords, AppendsListItems) {
  const Arguments args{{Value("a b"), Value(3), Value(0.5), Value(true), PathTo("x.csv"),
                        Value(Value::Map{{"$float", Value("nan")}})},
                       {}};
  EXPECT_EQ(ArgumentWords(args, InJob), (Words{"a b", "3", "0.5", "true", "/job/x.csv", "nan"}));
}

TEST(ArgumentWords, ConvertsMapToOptions) {
  const Arguments args{{},
                       {{"epochs", Value(3)},
                        {"verbose", Value(true)},
                        {"quiet", Value(false)},
                        {"seed", Value()},
                        {"layer", Value(Value::List{Value(1), PathTo("w")})},
                        {"data", PathTo("d")}}};
  EXPECT_EQ(ArgumentWords(args, InJob), (Words{"--epochs", "3", "--verbose", "--layer", "1",
                                               "--layer", "/job/w", "--data", "/job/d"}));
}

TEST(CommandLine, AppendsWordsToArgv) {
  const Command command{"", {"python", "train.py"}};
  EXPECT_EQ(CommandLine(command, {{Value("a b")}, {}}, InJob),
            (Words{"python", "train.py", "a b"}));
}

TEST(CommandLine, QuotesWordsForShell) {
  const Command command{"python train.py | tee log", {}};
  EXPECT_EQ(CommandLine(command, {{}, {{"text", Value("it's $HOME")}}}, InJob),
            (Words{"/bin/sh", "-e", "-c", "python train.py | tee log --text 'it'\\''s $HOME'"}));
}

}  // namespace
}  // namespace kinetic::runner

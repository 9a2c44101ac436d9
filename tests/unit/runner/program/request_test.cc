#include "runner/program/request.h"

#include "support/temp_tree.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <filesystem>

namespace kinetic::runner {
namespace {

using ::testing::ElementsAre;
using ::testing::HasSubstr;
using ::testing::IsSupersetOf;
using ::testing::Not;
using ::testing::Pair;
using ::testing::UnorderedElementsAre;

TEST(ProgramRequest, RoundTrips) {
  ProgramRequest request;
  request.job_id = "k-1";
  request.attempt = 3;
  request.first_sequence = 1ULL << 40;
  request.program.argv = {"python3", "-u", "a b\n"};
  request.program.environment = {{"A", "1=2"}, {"B", ""}};
  request.program.working_directory = "/kinetic/run/work";
  request.program.exchange = "/job/exchange";
  request.joined = {"PYTHONPATH"};
  request.defaults = {"HF_HOME"};
  request.secrets = {"TOKEN"};
  request.python = "3.12";
  request.image = "python:3.12-slim";
  request.limits.run = std::chrono::milliseconds(5);
  request.limits.grace = std::chrono::milliseconds(6);
  request.notes = {"restored"};
  const auto read = ProgramRequestFromJson(ToJson(request));
  ASSERT_TRUE(read) << read.error().message;
  EXPECT_EQ(ToJson(*read), ToJson(request));
  EXPECT_EQ(read->first_sequence, 1ULL << 40);
  EXPECT_THAT(read->program.argv, ElementsAre("python3", "-u", "a b\n"));
  EXPECT_EQ(read->limits.run, std::chrono::milliseconds(5));
  EXPECT_TRUE(read->limits.own_container);
}

TEST(ProgramRequest, RoundTripsPackageEnvironment) {
  ProgramRequest request;
  request.program.argv = {"python"};
  const std::string without = ToJson(request);
  EXPECT_THAT(without, Not(HasSubstr("python_environment")));
  EXPECT_FALSE(ProgramRequestFromJson(without)->environment);
  request.environment = {"/opt/kinetic/environment", "3.12"};
  const auto read = ProgramRequestFromJson(ToJson(request));
  ASSERT_TRUE(read) << read.error().message;
  ASSERT_TRUE(read->environment);
  EXPECT_EQ(read->environment->root, "/opt/kinetic/environment");
  EXPECT_EQ(read->environment->python, "3.12");
}

TEST(ProgramRequest, RejectsRequestWithoutProgram) {
  EXPECT_FALSE(ProgramRequestFromJson(R"({"version":1})"));
  ProgramRequest empty;
  EXPECT_FALSE(ProgramRequestFromJson(ToJson(empty)));
}

TEST(ProgramRequest, SecretsOverrideJobAndJobOverridesImage) {
  ProgramRequest request;
  request.program.environment = {{"LANG", "C.UTF-8"}, {"TOKEN", "from env:"}};
  request.secrets = {"TOKEN", "ABSENT"};
  EXPECT_THAT(ProgramEnvironment(request, {{"LANG", "C"},
                                           {"TOKEN", "secret"},
                                           {"LD_PRELOAD", "/lib/x.so"},
                                           {"PATH", "/image/bin"}}),
              UnorderedElementsAre(Pair("LANG", "C.UTF-8"), Pair("TOKEN", "secret"),
                                   Pair("LD_PRELOAD", "/lib/x.so"), Pair("PATH", "/image/bin")));
}

TEST(ProgramRequest, AppendsImageValueOfJoinedVariables) {
  ProgramRequest request;
  request.program.environment = {{"PYTHONPATH", "/work"}};
  request.joined = {"PYTHONPATH", "OTHER"};
  EXPECT_THAT(ProgramEnvironment(request, {{"PYTHONPATH", "/image"}}),
              IsSupersetOf({Pair("PYTHONPATH", "/work:/image")}));
  EXPECT_THAT(ProgramEnvironment(request, {{"PYTHONPATH", ""}}),
              IsSupersetOf({Pair("PYTHONPATH", "/work")}));
  EXPECT_FALSE(ProgramEnvironment(request, {}).contains("OTHER"));
}

TEST(ProgramRequest, DefaultsDoNotReplaceVariablesOfTheImage) {
  ProgramRequest request;
  request.program.environment = {{"HF_HOME", "/downloads"}, {"KERAS_HOME", "/own"}};
  request.defaults = {"HF_HOME", "OTHER"};
  const auto with = [&](const char* value) {
    return ProgramEnvironment(request, {{"HF_HOME", value}, {"KERAS_HOME", "/image"}});
  };
  EXPECT_THAT(with("/image"),
              IsSupersetOf({Pair("HF_HOME", "/image"), Pair("KERAS_HOME", "/own")}));
  EXPECT_THAT(with(""), IsSupersetOf({Pair("HF_HOME", "/downloads")}));
  EXPECT_FALSE(ProgramEnvironment(request, {}).contains("OTHER"));
}

TEST(ProgramRequest, CacheOfTheImageHasItsModels) {
  ProgramRequest request;
  request.program.environment = {{"XDG_CACHE_HOME", "/downloads"},
                                 {"HF_HOME", "/downloads/huggingface"},
                                 {"TORCH_HOME", "/downloads/torch"}};
  request.defaults = {"HF_HOME", "TORCH_HOME", "XDG_CACHE_HOME"};
  auto environment =
      ProgramEnvironment(request, {{"XDG_CACHE_HOME", "/cache"}, {"TORCH_HOME", "/torch"}});
  EXPECT_EQ(environment.at("XDG_CACHE_HOME"), "/cache");
  EXPECT_EQ(environment.at("TORCH_HOME"), "/torch");
  EXPECT_FALSE(environment.contains("HF_HOME"));
  request.defaults = {"XDG_CACHE_HOME"};  // `env:` sets the others
  environment = ProgramEnvironment(request, {{"XDG_CACHE_HOME", "/cache"}});
  EXPECT_EQ(environment.at("HF_HOME"), "/downloads/huggingface");
}

TEST(ProgramRequest, DefaultsPath) {
  EXPECT_EQ(ProgramEnvironment({}, {}).at("PATH"),
            "/usr/local/sbin:/usr/local/bin:/usr/sbin:/usr/bin:/sbin:/bin");
}

TEST(DriverPaths, AreAppendedToThoseOfTheImage) {
  const test::TempTree dir;
  const Path nvidia = dir.path() / "nvidia";
  std::filesystem::create_directories(nvidia / "lib64");
  std::map<std::string, std::string> environment{{"PATH", "/usr/bin"},
                                                 {"LD_LIBRARY_PATH", "/cuda"}};
  for (int twice = 0; twice < 2; ++twice) {
    AddDriverPaths(PosixFileSystem(), nvidia, environment);
    EXPECT_THAT(environment, UnorderedElementsAre(
                                 Pair("PATH", "/usr/bin:" + (nvidia / "bin").native()),
                                 Pair("LD_LIBRARY_PATH", "/cuda:" + (nvidia / "lib64").native())));
  }
  environment.clear();
  AddDriverPaths(PosixFileSystem(), nvidia, environment);
  EXPECT_EQ(environment.at("LD_LIBRARY_PATH"), (nvidia / "lib64").native());
}

TEST(DriverPaths, AreNotAddedWithoutDriver) {
  const test::TempTree dir;
  std::map<std::string, std::string> environment{{"PATH", "/usr/bin"}};
  AddDriverPaths(PosixFileSystem(), dir.path() / "nvidia", environment);
  EXPECT_THAT(environment, UnorderedElementsAre(Pair("PATH", "/usr/bin")));
}

}  // namespace
}  // namespace kinetic::runner

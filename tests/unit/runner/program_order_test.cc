#include "runner/program_order.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

namespace kinetic::runner {
namespace {

using ::testing::ElementsAre;
using ::testing::HasSubstr;
using ::testing::IsSupersetOf;
using ::testing::Not;
using ::testing::Pair;
using ::testing::UnorderedElementsAre;

TEST(ProgramOrder, ComesBackAsItWas) {
  ProgramOrder order;
  order.job_id = "k-1";
  order.attempt = 3;
  order.first_sequence = 1ULL << 40;
  order.program.argv = {"python3", "-u", "a b\n"};
  order.program.environment = {{"A", "1=2"}, {"B", ""}};
  order.program.working_directory = "/kinetic/run/work";
  order.program.control = true;
  order.joined = {"PYTHONPATH"};
  order.secrets = {"TOKEN"};
  order.python = "3.12";
  order.image = "python:3.12-slim";
  order.limits.run = std::chrono::milliseconds(5);
  order.limits.grace = std::chrono::milliseconds(6);
  order.notes = {"restored"};
  const auto read = ProgramOrderFromJson(ToJson(order));
  ASSERT_TRUE(read) << read.error().message;
  EXPECT_EQ(ToJson(*read), ToJson(order));
  EXPECT_EQ(read->first_sequence, 1ULL << 40);
  EXPECT_THAT(read->program.argv, ElementsAre("python3", "-u", "a b\n"));
  EXPECT_EQ(read->limits.run, std::chrono::milliseconds(5));
  EXPECT_TRUE(read->limits.own_container);
}

TEST(ProgramOrder, TheEnvironmentComesBackWhereThereIsOne) {
  ProgramOrder order;
  order.program.argv = {"python"};
  const std::string without = ToJson(order);
  EXPECT_THAT(without, Not(HasSubstr("python_environment")));
  EXPECT_FALSE(ProgramOrderFromJson(without)->environment);
  order.environment = {"/opt/kinetic/environment", "3.12"};
  const auto read = ProgramOrderFromJson(ToJson(order));
  ASSERT_TRUE(read) << read.error().message;
  ASSERT_TRUE(read->environment);
  EXPECT_EQ(read->environment->root, "/opt/kinetic/environment");
  EXPECT_EQ(read->environment->python, "3.12");
}

TEST(ProgramOrder, WithoutAProgramItIsNone) {
  EXPECT_FALSE(ProgramOrderFromJson(R"({"version":1})"));
  ProgramOrder empty;
  EXPECT_FALSE(ProgramOrderFromJson(ToJson(empty)));
}

TEST(ProgramOrder, WhatTheJobSaysCountsMoreThanTheImageAndSecretsMost) {
  ProgramOrder order;
  order.program.environment = {{"LANG", "C.UTF-8"}, {"TOKEN", "from env:"}};
  order.secrets = {"TOKEN", "ABSENT"};
  EXPECT_THAT(EnvironmentOf(order, {{"LANG", "C"},
                                    {"TOKEN", "secret"},
                                    {"LD_PRELOAD", "/lib/x.so"},
                                    {"PATH", "/image/bin"}}),
              UnorderedElementsAre(Pair("LANG", "C.UTF-8"), Pair("TOKEN", "secret"),
                                   Pair("LD_PRELOAD", "/lib/x.so"), Pair("PATH", "/image/bin")));
}

TEST(ProgramOrder, AnImagesOwnValueIsAppendedWhereItIsJoined) {
  ProgramOrder order;
  order.program.environment = {{"PYTHONPATH", "/work"}};
  order.joined = {"PYTHONPATH", "OTHER"};
  EXPECT_THAT(EnvironmentOf(order, {{"PYTHONPATH", "/image"}}),
              IsSupersetOf({Pair("PYTHONPATH", "/work:/image")}));
  EXPECT_THAT(EnvironmentOf(order, {{"PYTHONPATH", ""}}),
              IsSupersetOf({Pair("PYTHONPATH", "/work")}));
  EXPECT_FALSE(EnvironmentOf(order, {}).contains("OTHER"));
}

TEST(ProgramOrder, AnImageWithoutAPathHasTheUsualOne) {
  EXPECT_EQ(EnvironmentOf({}, {}).at("PATH"),
            "/usr/local/sbin:/usr/local/bin:/usr/sbin:/usr/bin:/sbin:/bin");
}

}  // namespace
}  // namespace kinetic::runner

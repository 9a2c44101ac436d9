#include "command_line/parse.h"

#include <gtest/gtest.h>

#include <string>

namespace kinetic::cli {
namespace {

const std::vector<std::string> kCommands = {"run", "ps", "logs", "status", "cancel", "completion"};

TEST(Suggest, FindsTheNearest) {
  EXPECT_EQ(Nearest("lgos", kCommands), "logs");
  EXPECT_EQ(Nearest("cancle", kCommands), "cancel");
  EXPECT_EQ(Nearest("stats", kCommands), "status");
  EXPECT_EQ(Nearest("rum", kCommands), "run");
}

TEST(Suggest, FindsTheOnlyOneThatBeginsSo) { EXPECT_EQ(Nearest("compl", kCommands), "completion"); }

TEST(Suggest, SaysNothingRatherThanNonsense) {
  EXPECT_FALSE(Nearest("deploy", kCommands));
  EXPECT_FALSE(Nearest("x", kCommands));
  EXPECT_FALSE(Nearest("", kCommands));
  EXPECT_FALSE(Nearest("3", {"1", "2"}));  // every letter is one change from another
  EXPECT_FALSE(Nearest("c", kCommands));   // two begin with it
  EXPECT_FALSE(Nearest("--to", {"--token-file"}));
  EXPECT_FALSE(Nearest(std::string(100'000, 'l'), kCommands));
}

TEST(Suggest, NeverCrossesMeanings) {
  EXPECT_FALSE(Nearest("--state", {"--store", "--stream"}));
  EXPECT_FALSE(Nearest("--state", {"--state-dir"}));
  EXPECT_FALSE(Nearest("--gpu", {"--cpu", "--memory"}));
  EXPECT_EQ(Nearest("--stat", {"--state", "--store"}), "--state");
}

TEST(Suggest, FindsSynonyms) {
  EXPECT_EQ(Nearest("--gpu", {"--cpu", "--accelerator"}), "--accelerator");
  EXPECT_EQ(Nearest("up", kCommands), "run");
  EXPECT_EQ(Nearest("list", {"ls", "rm"}), "ls");
  EXPECT_EQ(Nearest("list", kCommands), "ps");
}

TEST(Suggest, IsAQuestion) {
  EXPECT_EQ(DidYouMean("lgos", kCommands), "did you mean 'logs'?");
  EXPECT_EQ(DidYouMean("deploy", kCommands), "");
}

}  // namespace
}  // namespace kinetic::cli

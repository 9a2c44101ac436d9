#include "command_line/parse.h"

#include "command_line/command.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <optional>
#include <string>
#include <vector>

namespace kinetic::cli {
namespace {

using ::testing::ElementsAre;
using ::testing::HasSubstr;

/// A small command line: options of every kind, an argument, a group.
class CommandLine : public ::testing::Test {
 protected:
  CommandLine() : root_({.name = "tool"}) {
    root_.Flag({"--json", "", "JSON"}, json_);
    root_.Count({"-v,--verbose", "", "more"}, verbose_);
    Command& send = root_.Add({.name = "send", .takes_command = true});
    send.Flag({"-d,--detach", "", "detach"}, detach_);
    send.Text({"-n,--name", "NAME", "name"}, name_);
    send.Texts({"--set", "KEY=VALUE", "set"}, set_);
    send.Number({"--tail", "N", "tail"}, tail_);
    send.Text(
        {.names = "--color", .placeholder = "WHEN", .doc = "", .choices = {"always", "never"}},
        color_);
    send.Argument({.names = "FILE"}, file_);
    Command& why = root_.Add({.name = "why", .takes_command = true});
    why.Argument({.names = "PACKAGE"}, package_);
    why.Argument({.names = "FILE"}, file_);
    Command& group = root_.Add({.name = "group"});
    Command& list = group.Add({.name = "list"});
    list.Arguments({.names = "ID"}, ids_);
  }

  Result<Parsed> Given(std::vector<std::string> words) { return Parse(root_, words); }

  std::string Message(std::vector<std::string> words) {
    const auto parsed = Given(std::move(words));
    if (parsed) return "no error";
    EXPECT_EQ(parsed.error().code, ErrorCode::kInvalidArgument);
    return parsed.error().message + " | " + parsed.error().hint;
  }

  Command root_;
  bool json_ = false;
  int verbose_ = 0;
  bool detach_ = false;
  std::optional<std::string> name_;
  std::vector<std::string> set_;
  std::optional<std::uint64_t> tail_;
  std::optional<std::string> color_;
  std::optional<std::string> file_;
  std::string package_;
  std::vector<std::string> ids_;
};

TEST_F(CommandLine, StoresWhatWasGiven) {
  const auto parsed = Given({"send", "-d", "--name", "a b", "--set", "x=1", "--set=y=-2", "--tail",
                             "5", "job.yaml", "--json", "-vv"});
  ASSERT_TRUE(parsed) << parsed.error().message;
  EXPECT_EQ(parsed->command->Path(), "tool send");
  EXPECT_TRUE(detach_);
  EXPECT_TRUE(json_);
  EXPECT_EQ(verbose_, 2);
  EXPECT_EQ(name_, "a b");
  EXPECT_THAT(set_, ElementsAre("x=1", "y=-2"));
  EXPECT_EQ(tail_, 5);
  EXPECT_EQ(file_, "job.yaml");
}

TEST_F(CommandLine, KeepsArgumentsOfAScript) {
  const auto parsed = Given({"--json", "send", "--name", "x.py", "train.py", "-d", "--", "--help"});
  ASSERT_TRUE(parsed) << parsed.error().message;
  EXPECT_TRUE(parsed->has_rest && parsed->rest_is_program);
  EXPECT_FALSE(parsed->help || detach_ || file_.has_value());
  EXPECT_EQ(name_, "x.py");
  EXPECT_THAT(parsed->rest, ElementsAre("train.py", "-d", "--", "--help"));
  EXPECT_THAT(Given({"group", "list", "train.py", "x"})->rest, ElementsAre());
  EXPECT_FALSE(Given({"send", "--", "train.py"})->rest_is_program);
}

TEST_F(CommandLine, TakesOnlyTheLastArgumentAsAScript) {
  const auto parsed = Given({"why", "a.py", "--json", "train.py"});
  ASSERT_TRUE(parsed) << parsed.error().message;
  EXPECT_EQ(package_, "a.py");
  EXPECT_FALSE(file_.has_value());
  EXPECT_THAT(parsed->rest, ElementsAre("train.py"));
}

TEST_F(CommandLine, TakesMissingPathWithArgumentsAsAProgram) {
  EXPECT_THAT(Given({"send", "./missing", "--epochs", "3"})->rest,
              ElementsAre("./missing", "--epochs", "3"));
  for (const char* file : {"./missing.yaml", "dir/module:function", "missing"})
    EXPECT_FALSE(Given({"send", file, "x"})) << file;
  ASSERT_TRUE(Given({"send", "./missing"}));
  EXPECT_EQ(file_, "./missing");
}

TEST_F(CommandLine, LeavesWhatWasNotGiven) {
  const auto parsed = Given({"send"});
  ASSERT_TRUE(parsed);
  EXPECT_FALSE(detach_);
  EXPECT_FALSE(name_.has_value());
  EXPECT_FALSE(file_.has_value());
  EXPECT_FALSE(parsed->has_rest);
}

TEST_F(CommandLine, TakesGlobalOptionsInFrontToo) {
  ASSERT_TRUE(Given({"--json", "send", "f"}));
  EXPECT_TRUE(json_);
  EXPECT_EQ(file_, "f");
}

TEST_F(CommandLine, TheLastOfAnOptionWins) {
  ASSERT_TRUE(Given({"send", "--name", "a", "--name", "b"}));
  EXPECT_EQ(name_, "b");
}

TEST_F(CommandLine, HandsOverWhatFollowsTheDashes) {
  const auto parsed = Given({"send", "-d", "--", "python", "--detach", "--", "-n"});
  ASSERT_TRUE(parsed);
  EXPECT_TRUE(parsed->has_rest);
  EXPECT_THAT(parsed->rest, ElementsAre("python", "--detach", "--", "-n"));
}

TEST_F(CommandLine, AnEmptyRestIsStillOne) {
  const auto parsed = Given({"send", "--"});
  ASSERT_TRUE(parsed);
  EXPECT_TRUE(parsed->has_rest);
  EXPECT_TRUE(parsed->rest.empty());
}

TEST_F(CommandLine, AnArgumentMayBeNamedLikeACommand) {
  ASSERT_TRUE(Given({"send", "group"}));
  EXPECT_EQ(file_, "group");
}

TEST_F(CommandLine, FindsCommandsInGroups) {
  const auto parsed = Given({"group", "list", "a", "b"});
  ASSERT_TRUE(parsed);
  EXPECT_EQ(parsed->command->Path(), "tool group list");
  EXPECT_THAT(ids_, ElementsAre("a", "b"));
}

TEST_F(CommandLine, NamesUnknownThingsAndTheNearestRightOnes) {
  EXPECT_THAT(Message({"snd"}), HasSubstr("unknown command 'tool snd' | did you mean 'send'?"));
  EXPECT_THAT(Message({"group", "lst"}), HasSubstr("did you mean 'list'?"));
  EXPECT_THAT(Message({"send", "--detatch"}), HasSubstr("unknown option '--detatch' | did you mean "
                                                        "'--detach'?"));
  EXPECT_THAT(Message({"send", "--jsno"}), HasSubstr("did you mean '--json'?"));
  EXPECT_THAT(
      Message({"send", "x", "--zzzzz=1"}),
      HasSubstr("unknown option '--zzzzz' | to run a program with options, put '--' before it"));
  EXPECT_THAT(Message({"send", "--zzzzz=1"}),
              HasSubstr("unknown option '--zzzzz' | see 'tool send --help'"));
  EXPECT_THAT(
      Message({"--name", "a", "send"}),
      HasSubstr("--name precedes the command | put it after the command: tool send --name"));
  EXPECT_THAT(Message({"group", "list", "--zzzzz"}),
              HasSubstr("unknown option '--zzzzz' | see 'tool group list --help'"));
}

TEST_F(CommandLine, SaysWhatIsMissingOrTooMuch) {
  EXPECT_THAT(Message({"group", "list"}), HasSubstr("tool group list: ID is missing"));
  EXPECT_THAT(
      Message({"send", "a", "b"}),
      HasSubstr(
          "tool send: unexpected argument 'b' | to run a program, put it and its arguments after"));
  EXPECT_THAT(Message({"send", "--name"}), HasSubstr("--name requires a value"));
  EXPECT_THAT(Message({"send", "--name", "--detach"}), HasSubstr("--name requires a value"));
  EXPECT_THAT(Message({"send", "--name=", "word"}), HasSubstr("--name requires a value"));
  EXPECT_THAT(Message({"send", "--name="}), HasSubstr("--name requires a value"));
  EXPECT_THAT(Message({"send", "--detach=1"}), HasSubstr("--detach takes no value"));
}

TEST_F(CommandLine, ChecksValues) {
  EXPECT_THAT(Message({"send", "--tail", "ten"}),
              HasSubstr("--tail: expected a whole number, 0 or more, found 'ten'"));
  EXPECT_THAT(Message({"send", "--tail", "-1"}), HasSubstr("--tail"));
  EXPECT_THAT(Message({"send", "--tail", "99999999999999999999"}), HasSubstr("is too large"));
  EXPECT_THAT(Message({"send", "--color", "allways"}),
              HasSubstr("--color: expected one of always, never; found 'allways' | did you mean"));
}

TEST_F(CommandLine, HelpWinsOverErrors) {
  const auto parsed = Given({"group", "list", "--help"});
  ASSERT_TRUE(parsed);
  EXPECT_TRUE(parsed->help);
  EXPECT_EQ(parsed->command->Path(), "tool group list");
  EXPECT_TRUE(Given({"send", "--bogus", "-h"})->help);
  EXPECT_FALSE(Given({"send", "--", "--help"})->help);
}

/// After "--", words are arguments of every command, whatever they look like.
TEST_F(CommandLine, DashesEndOptions) {
  for (const char* word : {"-rf", "--json", "-d", "--help", "-", "--name=x", "--unknown", "--"}) {
    ids_.clear();
    ASSERT_TRUE(Given({"group", "list", "a", "--", word, "b"})) << word;
    EXPECT_THAT(ids_, ElementsAre("a", word, "b"));
    EXPECT_FALSE(json_);
  }
  EXPECT_TRUE(Given({"group", "list", "a", "--"}));
  const auto parsed = Given({"send", "job.yaml", "--", "-rf", "x"});
  ASSERT_TRUE(parsed);
  EXPECT_THAT(parsed->rest, ElementsAre("-rf", "x"));
}

}  // namespace
}  // namespace kinetic::cli

#include "command_line/parse.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <optional>

namespace kinetic::cli {
namespace {

using ::testing::ElementsAre;
using ::testing::IsEmpty;

class Completing : public ::testing::Test {
 protected:
  Completing() : root_({.name = "tool"}) {
    root_.Flag({"--json", "", ""}, flag_);
    Command& send = root_.Add({.name = "send"});
    send.Text({"-f,--from", "FILE", "", CompletionKind::kFile}, text_);
    send.Text({.names = "--color", .placeholder = "WHEN", .doc = "", .choices = {"always", "auto"}},
              text_);
    send.Argument({.names = "JOB", .complete = CompletionKind::kJob}, text_);
    root_.Add({.name = "status"});
    root_.Add({.name = "__hidden", .hidden = true});
  }

  std::vector<std::string> Words(const std::vector<std::string>& words) {
    std::vector<std::string> found;
    for (const Candidate& candidate : CompleteWords(root_, words).candidates)
      found.push_back(candidate.word);
    return found;
  }
  CompletionKind Kind(const std::vector<std::string>& words) {
    return CompleteWords(root_, words).kind;
  }

  Command root_;
  bool flag_ = false;
  std::optional<std::string> text_;
};

TEST_F(Completing, OffersCommands) {
  EXPECT_THAT(Words({""}), ElementsAre("send", "status"));
  EXPECT_THAT(Words({"st"}), ElementsAre("status"));
  EXPECT_THAT(Words({"--json", "se"}), ElementsAre("send"));
}

TEST_F(Completing, OffersOptionsOfTheCommandAndOfAll) {
  EXPECT_THAT(Words({"send", "--"}), ElementsAre("--from", "--color", "--json", "--help"));
  EXPECT_THAT(Words({"send", "--fr"}), ElementsAre("--from"));
}

TEST_F(Completing, OffersValues) {
  EXPECT_THAT(Words({"send", "--color", "al"}), ElementsAre("always"));
  EXPECT_EQ(Kind({"send", "-f", ""}), CompletionKind::kFile);
  EXPECT_EQ(Kind({"send", ""}), CompletionKind::kJob);
  EXPECT_EQ(Kind({"send", "--from", "x", ""}), CompletionKind::kJob);
}

TEST_F(Completing, OffersNoSecondArgumentWhereThereIsOne) {
  EXPECT_EQ(Kind({"send", "one", ""}), CompletionKind::kNothing);
}

TEST_F(Completing, OffersFilesBehindTheDashes) {
  EXPECT_EQ(Kind({"send", "--", "python", "tr"}), CompletionKind::kFile);
  EXPECT_THAT(Words({"send", "--", "--"}), IsEmpty());
}

TEST_F(Completing, HoldsItsPeaceWithoutWords) { EXPECT_THAT(Words({}), IsEmpty()); }

}  // namespace
}  // namespace kinetic::cli

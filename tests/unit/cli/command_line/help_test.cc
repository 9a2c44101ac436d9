#include "command_line/help.h"

#include "command_line/man_page.h"

#include <gtest/gtest.h>

#include <optional>
#include <sstream>

namespace kinetic::cli {
namespace {

TEST(Help, HasEverySection) {
  Command root({.name = "tool", .description = "Does things."});
  bool flag = false;
  std::optional<std::string> text;
  Command& send = root.Add({.name = "send",
                            .summary = "Send it",
                            .description = "Sends a thing\nsomewhere.",
                            .usage = {"[OPTIONS] FILE", "[OPTIONS] -- PROGRAM"},
                            .examples = {"tool send a.txt"}});
  send.Argument({.names = "FILE", .doc = "What to send"}, text);
  send.Flag({"-d,--detach", "", "Do not wait"}, flag);
  send.Text({"--name", "NAME", "Its name"}, text);
  EXPECT_EQ(HelpText(send),
            "Sends a thing somewhere.\n"
            "\n"
            "Usage: tool send [OPTIONS] FILE\n"
            "       tool send [OPTIONS] -- PROGRAM\n"
            "\n"
            "Arguments:\n"
            "  FILE  What to send\n"
            "\n"
            "Options:\n"
            "  -d, --detach     Do not wait\n"
            "      --name NAME  Its name\n"
            "  -h, --help       Show this help\n"
            "\n"
            "Examples:\n"
            "  $ tool send a.txt\n"
            "\n"
            "Run 'kinetic help --all' to list the global options.\n");
}

TEST(Help, ListsCommandsButNotHiddenOnes) {
  Command root({.name = "tool", .description = "Does things."});
  root.Add({.name = "send", .summary = "Send it"});
  root.Add({.name = "__secret", .summary = "x", .hidden = true});
  const std::string help = HelpText(root);
  EXPECT_NE(help.find("  send  Send it\n"), std::string::npos);
  EXPECT_EQ(help.find("__secret"), std::string::npos);
  EXPECT_EQ(ReferenceDocument(root).find("__secret"), std::string::npos);
}

TEST(ManPage, HasTheTextsOfHelpEscaped) {
  Command root({.name = "tool",
                .description = ".Does\n'things' in C:\\x.",
                .usage = {"COMMAND"},
                .examples = {"tool send a-b.txt"}});
  bool flag = false;
  Command& send = root.Add({.name = "send", .description = "Sends it.", .usage = {"[OPTIONS]"}});
  send.Flag({"-f,--force", "", "Even if -x"}, flag);
  root.Add({.name = "__secret", .description = "x", .hidden = true});
  const std::string page = ManPage(root, "1.2");
  for (const std::string_view part :
       {".TH KINETIC 1 \"\" \"kinetic 1.2\"", "\n\\&.Does\n\\&'things' in C:\\ex.\n",
        "\ntool send a\\-b.txt\n", ".SS tool send\nSends it.\n.PP\ntool send [OPTIONS]\n",
        ".TP\n.B \\-f, \\-\\-force\nEven if \\-x\n"})
    EXPECT_NE(page.find(part), std::string::npos) << part << page;
  EXPECT_EQ(page.find("secret"), std::string::npos);
}

TEST(Help, WrapsLongTexts) {
  Command root({.name = "tool", .description = "Does things."});
  bool flag = false;
  std::string words;
  for (int i = 0; i < 60; ++i) words += "word ";
  root.Flag({"--flag", "", words}, flag);
  std::istringstream lines(HelpText(root));
  for (std::string line; std::getline(lines, line);) EXPECT_LE(line.size(), 100) << line;
  std::istringstream narrow(HelpText(root, 60));
  for (std::string line; std::getline(narrow, line);) EXPECT_LE(line.size(), 60) << line;
  EXPECT_EQ(HelpText(root, 300), HelpText(root));
}

}  // namespace
}  // namespace kinetic::cli

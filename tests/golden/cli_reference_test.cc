#include "command_line/help.h"
#include "command_tree.h"
#include "exit_code.h"
#include "settings/table.h"
#include "support/source_folder.h"

#include <gtest/gtest.h>

#include <cstdlib>
#include <fstream>
#include <iterator>
#include <sstream>
#include <string>

namespace kinetic::cli {
namespace {

/// Compares a page of docs/reference with the program. KINETIC_UPDATE_GOLDEN=1 writes the page.
void ExpectPage(const std::string& name, const std::string& text) {
  const std::string path = (test::SourceFolder() / "docs/reference" / name).string();
  if (std::getenv("KINETIC_UPDATE_GOLDEN") != nullptr) std::ofstream(path) << text;
  std::ifstream file(path);
  const std::string page(std::istreambuf_iterator<char>(file), {});
  EXPECT_EQ(page, text) << path
                        << " differs from the program's output; KINETIC_UPDATE_GOLDEN=1 writes it";
}

TEST(CliReference, HelpMatchesPage) {
  GlobalOptions options;
  ExpectPage("cli.md", ReferenceDocument(*BuildCommandTree(options)));
}

TEST(CliReference, SettingsMatchPage) { ExpectPage("settings.md", settings::SettingsDocument()); }

TEST(CliReference, ExitCodesMatchPage) { ExpectPage("exit-codes.md", ExitCodesDocument()); }

/// Checks that a command has all parts of its help.
void CheckTexts(const Command& command) {
  const CommandText& text = command.text();
  if (text.hidden) return;
  SCOPED_TRACE(command.Path());
  EXPECT_TRUE(command.parent() == nullptr || !text.summary.empty());
  EXPECT_TRUE(text.description.ends_with('.'));
  EXPECT_FALSE(text.usage.empty());
  EXPECT_TRUE(!command.children().empty() || !text.examples.empty());
  for (const auto& options : {command.options(), command.arguments()})
    for (const Option& option : options) EXPECT_FALSE(option.text.doc.empty()) << option.text.names;
  std::istringstream lines(HelpText(command));
  for (std::string line; std::getline(lines, line);) EXPECT_LE(line.size(), 100) << line;
  for (const auto& child : command.children()) CheckTexts(*child);
}

TEST(CliReference, EveryCommandHasDescription) {
  GlobalOptions options;
  CheckTexts(*BuildCommandTree(options));
}

}  // namespace
}  // namespace kinetic::cli

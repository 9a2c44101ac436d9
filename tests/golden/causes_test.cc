#include "base/file_system.h"
#include "target/kubernetes_cause.h"

#include <gtest/gtest.h>

#include <cstdlib>
#include <set>
#include <string>

namespace kinetic::target {
namespace {

std::string_view NameOf(Sign sign) {
  switch (sign) {
    case Sign::kJobCondition:
      return "condition Failed of the Job";
    case Sign::kPodStatus:
      return "status of the pod";
    case Sign::kDisruption:
      return "condition DisruptionTarget of the pod";
    case Sign::kTerminated:
      return "end of a container";
    case Sign::kWaiting:
      return "waiting container";
    case Sign::kPodEvent:
      return "event of the pod";
    case Sign::kScheduler:
      return "reason in FailedScheduling";
    case Sign::kAutoscaler:
      return "event of the autoscaler";
    case Sign::kCreation:
      return "event FailedCreate of the Job";
    case Sign::kQueue:
      return "condition of Kueue's Workload";
  }
  return "";
}

/// A table's cell: a bar would end it.
std::string Cell(std::string_view text) {
  std::string cell(text);
  for (std::size_t at = 0; (at = cell.find('|', at)) != std::string::npos; at += 2) {
    cell.insert(at, "\\");
  }
  return cell;
}

/// docs/reference/causes.md.
std::string CausesDocument() {
  std::string text =
      "# Causes\n\n"
      "`kinetic why` explains a job's state by one cause. Its name is the member `cause` of "
      "`--json`;\n"
      "its words may be more exact than those here, and the evidence is what a server said. With\n"
      "*final*, waiting does not help. A cause may be final in one case and not in another: a "
      "quota\n"
      "that is full now is not, one that is smaller than the job is.\n\n"
      "| cause | phase | meaning | what to do | final |\n|---|---|---|---|---|\n";
  for (const CauseText& row : CauseTexts()) {
    text += "| `" + std::string(Name(row.cause)) + "` | " + std::string(Name(row.phase)) + " | " +
            Cell(row.headline) + " | " + Cell(row.advice) + " | " + (row.final ? "yes" : "") +
            " |\n";
  }
  text +=
      "\n## What is matched on a cluster\n\n"
      "The first line that fits counts. *Text* is looked for anywhere in the message, without "
      "regard\n"
      "to case; an empty cell fits everything.\n\n"
      "| where | reason | text | cause |\n|---|---|---|---|\n";
  for (const Pattern& row : Patterns()) {
    text += "| " + std::string(NameOf(row.sign)) + " | " + Cell(row.reason) + " | " +
            Cell(row.text) + " | `" + std::string(Name(row.cause)) + "` |\n";
  }
  return text;
}

TEST(Causes, AreWhatThePageSays) {
  const Path path = Path(KINETIC_SOURCE_DIR) / "docs/reference/causes.md";
  const std::string text = CausesDocument();
  if (std::getenv("KINETIC_UPDATE_GOLDEN") != nullptr) {
    ASSERT_TRUE(WriteFileAtomically(PosixFileSystem(), path, text));
  }
  const auto page = ReadFile(PosixFileSystem(), path, 1 << 20);
  ASSERT_TRUE(page) << page.error().message;
  EXPECT_EQ(*page, text) << path << "; KINETIC_UPDATE_GOLDEN=1 writes it";
}

TEST(Causes, HaveWordsAndANameEachOnce) {
  std::set<std::string_view> names;
  for (int i = 0; i <= static_cast<int>(Cause::kLost); ++i) {
    const auto cause = static_cast<Cause>(i);
    EXPECT_NE(Name(cause), "unknown") << i;
    EXPECT_TRUE(names.insert(Name(cause)).second) << Name(cause);
    EXPECT_EQ(Name(TextOf(cause).cause), Name(cause)) << "has no words of its own";
    EXPECT_FALSE(TextOf(cause).headline.empty()) << Name(cause);
  }
}

/// A pattern behind one that fits whatever it fits never counts.
TEST(Causes, HaveNoPatternThatIsNeverReached) {
  for (const Pattern& row : Patterns()) {
    const std::string reason(row.reason.empty() ? "Anything" : row.reason);
    EXPECT_EQ(MatchCause(row.sign, reason, row.text), row.cause)
        << NameOf(row.sign) << ' ' << row.reason << ' ' << row.text;
  }
}

}  // namespace
}  // namespace kinetic::target

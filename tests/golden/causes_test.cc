#include "backend/cause_text.h"
#include "backend/kubernetes/diagnose/patterns.h"
#include "base/files/file_system.h"
#include "support/source_folder.h"

#include <gtest/gtest.h>

#include <cstdlib>
#include <set>
#include <string>

namespace kinetic::backend {
namespace {

std::string_view NameOf(SignalSource source) {
  switch (source) {
    case SignalSource::kJobCondition:
      return "Job condition Failed";
    case SignalSource::kPodStatus:
      return "pod status";
    case SignalSource::kDisruption:
      return "pod condition DisruptionTarget";
    case SignalSource::kTerminated:
      return "terminated container";
    case SignalSource::kWaiting:
      return "waiting container";
    case SignalSource::kPodEvent:
      return "pod event";
    case SignalSource::kScheduler:
      return "reason in pod event FailedScheduling";
    case SignalSource::kAutoscaler:
      return "autoscaler event";
    case SignalSource::kCreation:
      return "Job event FailedCreate";
    case SignalSource::kQueue:
      return "Kueue Workload condition";
  }
  return "";
}

/// Escapes a table cell.
std::string Cell(std::string_view text) {
  std::string cell(text);
  for (std::size_t at = 0; (at = cell.find('|', at)) != std::string::npos; at += 2) {
    cell.insert(at, "\\");
  }
  return cell;
}

/// Returns the text of docs/reference/causes.md.
std::string CausesDocument() {
  std::string text =
      "# Causes\n\n"
      "`kinetic why` reports one cause for a job's state, with the server's messages as\n"
      "evidence. With `--json`, the field `cause` contains the name of the cause from this\n"
      "table. The text can be more specific than the meaning given here.\n\n"
      "*Final* means that waiting does not help. Some causes are final only in some cases. For\n"
      "example, a full quota is not final, but a quota that is too small for the job is.\n\n"
      "| cause | phase | meaning | what to do | final |\n|---|---|---|---|---|\n";
  for (const CauseText& row : CauseTexts()) {
    text += "| `" + std::string(Name(row.cause)) + "` | " + std::string(Name(row.phase)) + " | " +
            Cell(row.headline) + " | " + Cell(row.advice) + " | " + (row.final ? "yes" : "") +
            " |\n";
  }
  text +=
      "\n## Patterns\n\n"
      "On a cluster, kinetic derives the cause from conditions, states and events. The first row\n"
      "that matches applies. *Text* can be anywhere in the message, and case is ignored. An empty\n"
      "cell matches everything.\n\n"
      "| source | reason | text | cause |\n|---|---|---|---|\n";
  for (const Pattern& row : Patterns()) {
    text += "| " + std::string(NameOf(row.source)) + " | " + Cell(row.reason) + " | " +
            Cell(row.text) + " | `" + std::string(Name(row.cause)) + "` |\n";
  }
  return text;
}

TEST(Causes, MatchPage) {
  const Path path = test::SourceFolder() / "docs/reference/causes.md";
  const std::string text = CausesDocument();
  if (std::getenv("KINETIC_UPDATE_GOLDEN") != nullptr) {
    ASSERT_TRUE(WriteFileAtomically(PosixFileSystem(), path, text));
  }
  const auto page = ReadFile(PosixFileSystem(), path, 1 << 20);
  ASSERT_TRUE(page) << page.error().message;
  EXPECT_EQ(*page, text) << path << "; KINETIC_UPDATE_GOLDEN=1 writes it";
}

TEST(Causes, HaveTextAndUniqueName) {
  std::set<std::string_view> names;
  for (int i = 0; i <= static_cast<int>(Cause::kLost); ++i) {
    const auto cause = static_cast<Cause>(i);
    EXPECT_NE(Name(cause), "unknown") << i;
    EXPECT_TRUE(names.insert(Name(cause)).second) << Name(cause);
    EXPECT_EQ(Name(TextOf(cause).cause), Name(cause)) << "has no text of its own";
    EXPECT_FALSE(TextOf(cause).headline.empty()) << Name(cause);
  }
}

/// A pattern after a more general one would never match.
TEST(Causes, HaveOnlyReachablePatterns) {
  for (const Pattern& row : Patterns()) {
    const std::string reason(row.reason.empty() ? "Anything" : row.reason);
    EXPECT_EQ(MatchCause(row.source, reason, row.text), row.cause)
        << NameOf(row.source) << ' ' << row.reason << ' ' << row.text;
  }
}

}  // namespace
}  // namespace kinetic::backend

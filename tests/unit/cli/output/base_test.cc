#include "output/json_output.h"
#include "output/phase_name.h"
#include "output/plain_output.h"
#include "support/temp_tree.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <fcntl.h>
#include <signal.h>
#include <unistd.h>

#include <array>
#include <memory>
#include <thread>

namespace kinetic::cli {
namespace {

using ::testing::HasSubstr;

const Error kWrong{
    ErrorCode::kNotFound, "job x does not exist", "kinetic ps lists the jobs", {{"id", "x"}}};

/// Two files in the place of stdout and stderr.
class Written : public ::testing::Test {
 protected:
  Written() : out_(Open("out")), err_(Open("err")) {}
  ~Written() override {
    ::close(out_);
    ::close(err_);
  }

  int Open(const char* name) {
    return ::open((tree_ / name).c_str(), O_WRONLY | O_CREAT | O_APPEND | O_CLOEXEC, 0600);
  }
  std::unique_ptr<Output> Plain(OutputOptions options = {}) {
    return std::make_unique<PlainOutput>(Console(out_, err_), options);
  }
  std::unique_ptr<Output> Json() { return std::make_unique<JsonOutput>(Console(out_, err_)); }

  test::TempTree tree_;
  int out_;
  int err_;
};

TEST_F(Written, TheAnswerGoesToStdoutAndAllElseToStderr) {
  {
    const auto output = Plain();
    output->Line("answer");
    output->Note("note");
    output->Warn("careful");
    output->ShowError(kWrong, 2);
    output->Show({.headings = {"A"}, .rows = {{Cell("1")}}});
  }
  EXPECT_EQ(tree_.Read("out"), "answer\nA\n1\n");
  EXPECT_EQ(tree_.Read("err"),
            "note\nwarning: careful\nerror: job x does not exist\nhint: kinetic ps lists the "
            "jobs\n");
}

TEST_F(Written, OnlyLongDownloadsAreShown) {
  const auto output = Plain();
  const auto progress = output->StartProgress();
  progress->OnPhaseBegin(Phase::kPull, "pulling the image");
  progress->OnPhaseBegin(Phase::kPull, "fetching the bundle");
  progress->OnBytes(Phase::kPull, 1, 9);
  progress->OnPhaseBegin(Phase::kPull, "fetching /data");
  progress->OnBytes(Phase::kPull, 1, 9);
  std::this_thread::sleep_for(kMinShownDuration);
  progress->OnBytes(Phase::kPull, 5, 9);
  progress->OnBytes(Phase::kPull, 8, 9);
  EXPECT_TRUE(output->Flush());
  EXPECT_EQ(tree_.Read("err"), "fetch: pulling the image\nfetch: fetching /data\n");
}

TEST_F(Written, JobOutputKeepsItsStreamAndItsBytes) {
  const std::string binary("\0\xff\r\x1b[1m", 7);
  {
    const auto output = Plain();
    output->JobOutput(Stream::kStdout, binary, false);
    output->JobOutput(Stream::kStderr, "warning\n", false);
    output->JobOutput(Stream::kSystem, "attempt 2 begins\n", false);
  }
  EXPECT_EQ(tree_.Read("out"), binary);
  EXPECT_EQ(tree_.Read("err"), "warning\nkinetic: attempt 2 begins\n");
}

TEST_F(Written, ARemarkDoesNotContinueALineOfTheJob) {
  {
    const auto output = Plain();
    output->JobOutput(Stream::kStderr, "50 %", false);
    output->Note("detached");
  }
  EXPECT_EQ(tree_.Read("err"), "50 %\ndetached\n");
}

TEST_F(Written, QuietLeavesErrorsAndWarnings) {
  {
    const auto output = Plain({.notes = false});
    output->Note("note");
    output->Warn("careful");
  }
  EXPECT_EQ(tree_.Read("err"), "warning: careful\n");
}

TEST_F(Written, ColoursAreForErrorsOnStderr) {
  {
    const auto output = Plain({.err = {.color = true}});
    output->ShowError(kWrong, 2);
    output->Line("plain");
  }
  EXPECT_THAT(tree_.Read("err"), HasSubstr("\x1b[1;31merror:\x1b[0m job x"));
  EXPECT_EQ(tree_.Read("out"), "plain\n");
}

TEST_F(Written, PhasesAreLines) {
  {
    const auto output = Plain();
    const auto progress = output->StartProgress();
    progress->OnPhaseBegin(Phase::kPackage, "walking");
    progress->OnPhaseEnd(Phase::kPackage, "42 files");
    progress->OnPhaseBegin(Phase::kBuild, "3 packages");
    progress->OnOutput(Phase::kBuild, "Downloading");
    progress->OnPhaseBegin(Phase::kRun, "");
    progress->OnPhaseEnd(Phase::kRun, "");
  }
  EXPECT_EQ(tree_.Read("err"), "code: 42 files (0.00s)\nbuild: 3 packages\n");
  EXPECT_EQ(tree_.Read("out"), "");
}

TEST_F(Written, ProgressCanBeLeftOut) {
  {
    const auto output = Plain({.progress = false});
    output->StartProgress()->OnPhaseEnd(Phase::kPackage, "42 files");
  }
  EXPECT_EQ(tree_.Read("err"), "");
}

TEST_F(Written, JsonIsAllThatStdoutGets) {
  {
    const auto output = Json();
    EXPECT_TRUE(output->IsJson());
    output->Line("text");
    output->Bytes("text");
    output->Show({.headings = {"A"}});
    output->Note("note");
    output->JobOutput(Stream::kStdout, "job\n", false);
    output->Warn("careful");
    output->Document(Value::Map{{"a", 1}});
  }
  EXPECT_EQ(tree_.Read("out"), "{\"a\":1}\n");
  EXPECT_EQ(tree_.Read("err"), "job\nwarning: careful\n");
}

TEST_F(Written, AnErrorIsADocument) {
  Json()->ShowError(kWrong, 2);
  const auto document = Value::FromJson(tree_.Read("out"));
  ASSERT_TRUE(document);
  const Value* error = document->Find("error");
  EXPECT_EQ(*error->Find("code"), Value("NOT_FOUND"));
  EXPECT_EQ(*error->Find("message"), Value("job x does not exist"));
  EXPECT_EQ(*error->Find("hint"), Value("kinetic ps lists the jobs"));
  EXPECT_EQ(*error->Find("details")->Find("id"), Value("x"));
  EXPECT_EQ(*error->Find("exit_code"), Value(2));
}

TEST_F(Written, AFullDiskIsAnError) {
  const int full = ::open("/dev/full", O_WRONLY | O_CLOEXEC);
  PlainOutput output(Console(full, err_), {});
  output.Line("lost");
  const Status status = output.Flush();
  ASSERT_FALSE(status);
  EXPECT_THAT(status.error().message, HasSubstr("no space left"));
  EXPECT_TRUE(output.IsStdoutClosed());
  ::close(full);
}

TEST_F(Written, AReaderThatWentAwayIsNoFault) {
  ::signal(SIGPIPE, SIG_IGN);
  std::array<int, 2> ends{};
  ASSERT_EQ(::pipe2(ends.data(), O_CLOEXEC), 0);
  ::close(ends[0]);
  PlainOutput output(Console(ends[1], err_), {});
  output.Line("lost");
  const Status status = output.Flush();
  ASSERT_FALSE(status);
  EXPECT_EQ(status.error().code, ErrorCode::kCancelled);
  ::close(ends[1]);
}

/// Each error of a list is found by its prefix; indented lines belong to the error above.
TEST_F(Written, EveryErrorOfAListHasAPrefix) {
  const Error list{ErrorCode::kInvalidArgument,
                   "job.yaml:1:1: a\njob.yaml:2:1: b\n  valid: c\njob.yaml:3:1: d",
                   "e",
                   {{"errors", "3"}}};
  Error text = list;
  text.details.clear();
  {
    const auto output = Plain();
    output->ShowError(list, 2);
    output->ShowError(text, 2);
  }
  EXPECT_EQ(tree_.Read("err"),
            "error: job.yaml:1:1: a\nerror: job.yaml:2:1: b\n  valid: c\nerror: job.yaml:3:1: d\n"
            "hint: e\n"
            "error: job.yaml:1:1: a\njob.yaml:2:1: b\n  valid: c\njob.yaml:3:1: d\nhint: e\n");
}

/// Whatever phase waits for the store, a line says so.
TEST_F(Written, WaitsForTheStoreAreShownInEveryPhase) {
  const std::string reason = "waiting for the store: no space left on device";
  std::string expected;
  {
    const auto output = Plain();
    const auto progress = output->StartProgress();
    for (const Phase phase : {Phase::kStage, Phase::kRun, Phase::kCollect, Phase::kBuild}) {
      progress->OnPhaseBegin(phase, reason);
      expected += std::string(PhaseName(phase)) + ": " + reason + "\n";
    }
    progress->OnPhaseBegin(Phase::kRun, "");
  }
  EXPECT_EQ(tree_.Read("err"), expected);
}

}  // namespace
}  // namespace kinetic::cli

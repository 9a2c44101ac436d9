#include "base/hash/digest.h"
#include "e2e/pod_harness.h"
#include "record/object_names.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <fcntl.h>
#include <sys/stat.h>
#include <sys/sysmacros.h>
#include <unistd.h>

#include <algorithm>
#include <filesystem>
#include <fstream>

namespace kinetic::test {
namespace {

using ::testing::HasSubstr;
using ::testing::Not;

class InAPod : public ::testing::Test {
 protected:
  PodHarness kube_;
};

TEST_F(InAPod, StoresValueOfFunction) {
  const auto job = kube_.FunctionJob(
      "def main(n):\n    print('hello')\n    return {'twice': 2 * n}\n", "main", {{}, {{"n", 21}}});
  EXPECT_EQ(kube_.RunPod(job), 0);
  const auto stored = kube_.Outcome(job);
  EXPECT_EQ(stored.outcome.state, JobState::kSucceeded);
  EXPECT_EQ(stored.outcome.value.ToJson(), R"({"twice":42})");
  EXPECT_EQ(stored.written_by, "runner");
  EXPECT_EQ(stored.log_records, 1U);
  EXPECT_EQ(kube_.Text(job, Stream::kStdout), "hello\n");
  EXPECT_EQ(kube_.last->Output(), "hello\n");
  const auto printed = kube_.last->PrintedRecords();
  ASSERT_EQ(printed.size(), 1U) << kube_.last->Printed();
  EXPECT_EQ(printed[0].text, "hello\n");
  EXPECT_EQ(kube_.last->PrintedEnd(),
            "succeeded " + Sha256::Of(kube_.Stored(record::ResultName(job.id))).Hex());
}

TEST_F(InAPod, StoresSummaryOfMetrics) {
  const auto job = kube_.FunctionJob(
      "import kinetic\n"
      "def main():\n"
      "    for step in range(1, 4):\n"
      "        print('a line', end=' ')\n"
      "        kinetic.log(step=step, loss=6 / step)\n");
  EXPECT_EQ(kube_.RunPod(job), 0);
  const auto metrics = kube_.Outcome(job).outcome.metrics;
  ASSERT_EQ(metrics.size(), 2U) << kube_.Text(job, Stream::kStdout);
  EXPECT_EQ(metrics[0].name, "step");
  EXPECT_EQ(metrics[0].count, 3U);
  EXPECT_EQ(metrics[1].last, 2);
  EXPECT_EQ(metrics[1].max, 6);
}

TEST_F(InAPod, ReportsExceptionWithTraceback) {
  const auto job = kube_.FunctionJob("def main():\n    raise ValueError('no')\n");
  EXPECT_EQ(kube_.RunPod(job), 1);
  const auto stored = kube_.Outcome(job);
  EXPECT_EQ(stored.outcome.state, JobState::kFailed);
  ASSERT_TRUE(stored.outcome.exception);
  EXPECT_EQ(stored.outcome.exception->type, "ValueError");
  EXPECT_EQ(stored.outcome.exception->message, "no");
  ASSERT_EQ(stored.outcome.exception->traceback.size(), 1U);
  EXPECT_EQ(stored.outcome.exception->traceback[0].code, "raise ValueError('no')");
}

TEST_F(InAPod, ContainerExitsWithCodeOfCommand) {
  const auto job = kube_.ShellJob("cat data.txt; echo oops >&2; exit 7");
  EXPECT_EQ(kube_.RunPod(job), 7);
  EXPECT_EQ(kube_.Outcome(job).outcome.exit_code, 7);
  EXPECT_EQ(kube_.Text(job, Stream::kStdout), "data\n");
  EXPECT_EQ(kube_.Text(job, Stream::kStderr), "oops\n");
}

TEST_F(InAPod, ReservedExitCodeIsReplaced) {
  const auto job = kube_.ShellJob("exit 200");
  EXPECT_EQ(kube_.RunPod(job), 202);
  EXPECT_EQ(kube_.Outcome(job).outcome.exit_code, 200);
}

TEST_F(InAPod, ProgramInheritsContainerEnvironment) {
  auto job = kube_.ShellJob(
      "echo $FROM_IMAGE,$LANG,$MINE,$KINETIC_ATTEMPT; echo $PYTHONPATH; "
      "echo $HOME; cd && echo x > file && echo y > $TMPDIR/file && pwd");
  job.spec.env = {{"MINE", "own"}, {"LANG", "de_DE.UTF-8"}};
  EXPECT_EQ(kube_.RunPod(job, {.environment = {{"FROM_IMAGE", "image"},
                                               {"LANG", "C"},
                                               {"HOME", "/nowhere"},
                                               {"PYTHONPATH", "/image/lib"}}}),
            0);
  const std::string run = kube_.last->run().native();
  EXPECT_EQ(
      kube_.Text(job, Stream::kStdout),
      "image,de_DE.UTF-8,own,1\n" + run + "/work:/image/lib\n" + run + "/home\n" + run + "/home\n");
}

TEST_F(InAPod, FunctionInheritsPythonPathOfContainer) {
  const auto job = kube_.FunctionJob(
      "import os, sys\n"
      "def main(): return [os.environ['PYTHONPATH'], sys.path[1]]\n");
  EXPECT_EQ(kube_.RunPod(job, {.environment = {{"PYTHONPATH", "/image/lib"}}}), 0);
  EXPECT_EQ(kube_.Outcome(job).outcome.value,
            Value(Value::List{kube_.last->run().native() + "/work:/image/lib", "/image/lib"}));
}

TEST_F(InAPod, RedactsSecretsEverywhere) {
  auto job = kube_.FunctionJob(
      "import os\n"
      "def main():\n"
      "    print('it is', os.environ['TOKEN'], flush=True)\n"
      "    raise ValueError('cannot use ' + os.environ['TOKEN'])\n");
  job.secret_names = {"TOKEN"};
  EXPECT_EQ(kube_.RunPod(job, {.environment = {{"TOKEN", "hunter22"}}}), 1);
  EXPECT_EQ(kube_.Text(job, Stream::kStdout), "it is ***\n");
  EXPECT_EQ(kube_.Outcome(job).outcome.exception->message, "cannot use ***");
  EXPECT_THAT(kube_.last->Output(), HasSubstr("it is ***\n"));
  EXPECT_THAT(kube_.last->Output() + kube_.last->Printed(), Not(HasSubstr("hunter22")));
  for (const auto& entry : std::filesystem::recursive_directory_iterator(kube_.last->run())) {
    if (!entry.is_regular_file()) continue;
    std::ifstream stream(entry.path());
    const std::string content{std::istreambuf_iterator<char>(stream), {}};
    EXPECT_THAT(content, Not(HasSubstr("hunter22"))) << entry.path();
  }
}

TEST_F(InAPod, NumbersLinesWithoutGaps) {
  constexpr std::uint64_t kLines = 100'000;
  const auto job = kube_.ShellJob("seq 0 99999");
  EXPECT_EQ(kube_.RunPod(job), 0);
  std::string expected;
  for (std::uint64_t i = 0; i < kLines; ++i) expected += std::to_string(i) + "\n";
  EXPECT_EQ(kube_.last->Output(), expected);
  for (const auto& lines : {kube_.Log(job), kube_.last->PrintedRecords()}) {
    ASSERT_EQ(lines.size(), kLines);
    for (std::uint64_t i = 0; i < kLines; ++i) {
      ASSERT_EQ(lines[i].sequence, i);
      ASSERT_EQ(lines[i].text, std::to_string(i) + "\n");
    }
  }
  const std::string printed = kube_.last->Printed();
  EXPECT_LT(std::ranges::count(printed, '\n'), 10'000) << "records written together share a line";
}

TEST_F(InAPod, SlowReaderBlocksNothing) {
  int pipe[2];
  ASSERT_EQ(::pipe2(pipe, O_CLOEXEC), 0);
  const auto job = kube_.ShellJob("seq 0 99999");
  EXPECT_EQ(kube_.RunPod(job, {.output = pipe[1]}), 0);
  ::close(pipe[0]);
  EXPECT_EQ(kube_.Log(job).size(), 100'000U);
}

TEST_F(InAPod, FunctionNeedsPythonInImage) {
  const auto job = kube_.FunctionJob("def main(): pass\n");
  EXPECT_EQ(kube_.RunPod(job, {.environment = {{"PATH", "/nowhere"}}}), 201);
  const auto outcome = kube_.Outcome(job).outcome;
  EXPECT_EQ(outcome.exit_code, 123);
  EXPECT_EQ(outcome.phase, Phase::kStart);
  EXPECT_THAT(outcome.reason, HasSubstr("no python3 found in the image registry/image:1"));
}

TEST_F(InAPod, RejectsOldPython) {
  const Path bin = kube_.tree / "bin";
  std::filesystem::create_directories(bin);
  std::ofstream(bin / "python3") << "#!/bin/sh\necho 3.6\n";
  std::filesystem::permissions(bin / "python3", std::filesystem::perms::owner_all);
  const auto job = kube_.FunctionJob("def main(): pass\n");
  EXPECT_EQ(kube_.RunPod(job, {.environment = {{"PATH", bin.native()}}}), 201);
  EXPECT_THAT(kube_.Outcome(job).outcome.reason,
              HasSubstr("the Python of the image registry/image:1 is too old: " +
                        (bin / "python3").native() + " is Python 3.6"));
}

/// Sanitizer libraries are missing in these images.
#ifdef KINETIC_STATIC_HELLO
TEST_F(InAPod, RunsStaticProgramInEmptyAndHostileImage) {
  const Path root = kube_.tree / "root";
  std::filesystem::create_directories(root / "dev");
  std::filesystem::create_directories(root / "bin");
  if (::mknod((root / "dev/null").c_str(), S_IFCHR | 0666, makedev(1, 3)) < 0 ||
      ::access((root / "dev/null").c_str(), W_OK) < 0) {
    GTEST_SKIP() << "devices cannot be made here";
  }
  std::filesystem::copy_file(KINETIC_STATIC_HELLO, root / "bin/hello");
  // Both containers see the shared folder at the same path.
  const Path shared = kube_.tree / "shared";
  std::filesystem::create_directories((root / shared.relative_path()).parent_path());
  std::filesystem::create_directories(root / shared.relative_path());
  std::filesystem::create_directory_symlink(root / shared.relative_path(), shared);
  auto job = kube_.ShellJob("");
  job.spec.run = Command{{}, {"hello", "one"}};
  const auto pod = kube_.StartPodIn(shared, job);
  pod->StartLauncher({.environment = {{"PATH", "/bin"},
                                      {"LD_PRELOAD", "/lib/evil.so"},
                                      {"OPENSSL_CONF", "/etc/evil.cnf"}},
                      .root = root});
  EXPECT_EQ(pod->AwaitLauncher(), 5) << pod->Output();
  EXPECT_EQ(pod->EndCollector(), 0) << pod->Printed();
  EXPECT_EQ(kube_.Text(job, Stream::kStdout),
            "hello with 2 words, LD_PRELOAD=/lib/evil.so, HOME is there\n");
}
#endif

TEST_F(InAPod, JobFoldersBelongToUserOfImage) {
  if (::geteuid() != 0) GTEST_SKIP() << "only root can run as another user";
  constexpr uid_t kNobody = 65534;
  std::filesystem::permissions(kube_.tree.path(), std::filesystem::perms(0755));
  auto job = kube_.FunctionJob(
      "import os, pathlib\n"
      "def main(text):\n"
      "    pathlib.Path('here').write_text(text)\n"
      "    for name in 'HOME', 'TMPDIR', 'KINETIC_OUTPUT_DIR', 'KINETIC_CHECKPOINT_DIR':\n"
      "        pathlib.Path(os.environ[name], 'file').write_text(text)\n"
      "    return os.getuid()\n",
      "main", {{}, {{"text", "kept"}}});
  EXPECT_EQ(kube_.RunPod(job, {.user = kNobody}), 0) << kube_.last->Output();
  EXPECT_EQ(kube_.Outcome(job).outcome.value.ToJson(), "65534");
  EXPECT_EQ(kube_.Stored(record::OutputName(job.id, "file")), "kept");
}

TEST_F(InAPod, StoresNothingThatTheProgramMayNotRead) {
  if (::geteuid() != 0) GTEST_SKIP() << "only root can run as another user";
  constexpr uid_t kNobody = 65534;
  std::filesystem::permissions(kube_.tree.path(), std::filesystem::perms(0755));
  const Path key = kube_.tree.Write("credential/key.json", R"({"precious": 1})");
  std::filesystem::permissions(key, std::filesystem::perms::owner_read);
  const std::string line =
      "cd $KINETIC_OUTPUT_DIR; echo own > own; ln -s ../output/own relative; ln -s own link; ln "
      "-s " +
      key.native() + " key; ln -s " + key.parent_path().native() + " keys; mkfifo pipe; ";
  struct Case {
    std::string name;
    std::string line;
    int code;
  };
  for (const auto& [name, extra, code] : std::vector<Case>{
           {"links in the folder", "", 0},
           {"output folder",
            "cd ..; rm -r $KINETIC_OUTPUT_DIR; ln -s " + key.parent_path().native() +
                " $KINETIC_OUTPUT_DIR",
            120},
           {"checkpoint folder",
            "rm -r $KINETIC_CHECKPOINT_DIR; ln -s " + key.parent_path().native() +
                " $KINETIC_CHECKPOINT_DIR; exit 3",
            3},
           {"link in the checkpoint folder",
            "ln -s " + key.native() + " $KINETIC_CHECKPOINT_DIR/key.json; exit 3", 3}}) {
    const auto job = kube_.ShellJob(line + extra);
    EXPECT_EQ(kube_.RunPod(job, {.user = kNobody}), code) << name << kube_.last->Output();
    for (const char* stored : {"key", "key.json", "keys", "keys/key.json", "pipe", "relative"}) {
      EXPECT_EQ(kube_.Stored(record::OutputName(job.id, stored)), "") << name << " " << stored;
    }
    EXPECT_EQ(kube_.Stored(record::CheckpointName(job.id, 1)), "") << name;
    if (code == 120) continue;
    EXPECT_EQ(kube_.Stored(record::OutputName(job.id, "link")), "own\n") << name;
  }
}

TEST_F(InAPod, KeepsMountedFolder) {
  auto job = kube_.ShellJob("cat $KINETIC_DATA_DIR/data/a $KINETIC_DATA_DIR/data/deep/b");
  job.spec.data = {{"/data", {"./one"}}, {"/data/deep", {"./two"}}};
  job.data = {{"/data", {kube_.PutBundle({{"a", "A\n"}, {"deeper", "C"}})}},
              {"/data/deep", {kube_.PutBundle({{"b", "B\n"}})}}};
  const Path folder = kube_.tree / "mounts";
  const Path data = folder / "run/data/data";
  std::filesystem::create_directories(data / "deep/of an earlier collector");
  std::ofstream(data / "half").flush();
  struct stat before{};
  struct stat after{};
  ASSERT_EQ(::stat((data / "deep").c_str(), &before), 0);
  const auto pod = kube_.StartPodIn(folder, job);
  pod->StartLauncher();
  EXPECT_EQ(pod->AwaitLauncher(), 0) << pod->Printed();
  EXPECT_EQ(pod->EndCollector(), 0);
  EXPECT_EQ(kube_.Text(job, Stream::kStdout), "A\nB\n");
  ASSERT_EQ(::stat((data / "deep").c_str(), &after), 0);
  EXPECT_EQ(after.st_ino, before.st_ino);
  EXPECT_FALSE(std::filesystem::exists(data / "half"));
  EXPECT_FALSE(std::filesystem::exists(data / "deep/of an earlier collector"));
}

TEST_F(InAPod, PendingTimeoutFailsJob) {
  auto job = kube_.ShellJob("echo never");
  job.spec.timeouts.pending = std::chrono::milliseconds(300);
  const auto pod = kube_.StartPod(job);
  Eventually([&] { return pod->Has("launcher-exit.json"); }, "the job is settled");
  pod->StartLauncher();
  EXPECT_EQ(pod->AwaitLauncher(), 121);
  EXPECT_EQ(pod->EndCollector(), 0);
  EXPECT_EQ(kube_.Outcome(job).outcome.exit_code, 121);
  EXPECT_EQ(kube_.Text(job, Stream::kStdout), "");
}

}  // namespace
}  // namespace kinetic::test

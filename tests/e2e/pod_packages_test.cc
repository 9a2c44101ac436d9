#include "e2e/pod_harness.h"
#include "record/object_names.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <unistd.h>

#include <filesystem>
#include <fstream>

namespace kinetic::test {
namespace {

using ::testing::AllOf;
using ::testing::EndsWith;
using ::testing::HasSubstr;
using ::testing::Not;
using ::testing::StartsWith;

/// Jobs with packages that are unpacked in their pod.
class PodPackages : public ::testing::Test {
 protected:
  PodPackages() : version_(PythonVersion()), root_(kube_.tree / "pod-1/environment") {}

  /// Adds packages for a Python version to a job.
  void AddPackages(record::Record& job, const std::string& version) {
    const std::string packages = "lib/python" + version + "/site-packages/";
    std::map<std::string, std::string> files = {
        {packages + "somepkg/__init__.py", "NAME = 'some package'\n"},
        {packages + "hidden.pth", "beside\n"},
        {packages + "beside/hidden.py", "NAME = 'found by a .pth file'\n"},
        {packages + "fast-1.0.dist-info/WHEEL",
         "Wheel-Version: 1.0\nTag: cp312-cp312-manylinux_2_17_x86_64\n"},
        {"bin/some-script", "#!" + root_.native() +
                                "/bin/python\nimport somepkg, sys\n"
                                "print('a script with', somepkg.NAME, 'in', sys.prefix)\n"}};
    job.environment = {kube_.PutBundle(files), version, files.size(), 1};
    for (const auto& [path, text] : files) job.environment->bytes += text.size();
  }
  record::Record WithPackages(record::Record job) {
    AddPackages(job, version_);
    return job;
  }

  int Run(const record::Record& job, std::map<std::string, std::string> environment = {}) {
    environment.try_emplace("PATH", kPath);
    return kube_.RunPod(job, {.environment = std::move(environment)});
  }
  void ExpectRejected(const record::Record& job, const std::string& reason, const Path& path) {
    EXPECT_EQ(Run(job, {{"PATH", path.native()}}), 201) << kube_.last->Printed();
    const auto outcome = kube_.Outcome(job).outcome;
    EXPECT_EQ(outcome.exit_code, 123);
    EXPECT_EQ(outcome.phase, Phase::kStart);
    EXPECT_THAT(outcome.reason, HasSubstr(reason));
    EXPECT_EQ(kube_.Text(job, Stream::kStdout), "");
    EXPECT_FALSE(kube_.last->Has("started"));
  }
  /// Removes a job's packages from the store.
  void RemoveTreeOf(const record::Record& job) {
    const auto info = kube_.store().Stat(record::TreeName(job.environment->tree), {});
    ASSERT_TRUE(info && *info);
    EXPECT_EQ(kube_.store().RemoveIfUnchanged(**info, {}), store::Removal::kRemoved);
  }
  /// Creates a python3 that prints a text.
  Path FakePython(const std::string& answers) {
    const Path bin = kube_.tree / "fake";
    std::filesystem::create_directories(bin);
    std::ofstream(bin / "python3") << "#!/bin/sh\nprintf '" << answers << "'\n";
    std::filesystem::permissions(bin / "python3", std::filesystem::perms::owner_all);
    return bin;
  }

  PodHarness kube_;
  const std::string version_;
  const Path root_;  ///< in the first pod
};

constexpr const char* kFunction =
    "import os, subprocess, sys\n"
    "def main():\n"
    "    import hidden, somepkg\n"
    "    return [somepkg.NAME, hidden.NAME, sys.prefix, sys.executable, "
    "os.environ['VIRTUAL_ENV'],\n"
    "            sys.prefix != sys.base_prefix,\n"
    "            subprocess.run(['some-script'], capture_output=True, text=True).stdout]\n";

TEST_F(PodPackages, FunctionImportsPackages) {
  const auto job = WithPackages(kube_.FunctionJob(kFunction));
  EXPECT_EQ(Run(job), 0) << kube_.last->Printed();
  const std::string root = root_.native();
  EXPECT_EQ(kube_.Outcome(job).outcome.value.ToJson(),
            R"(["some package","found by a .pth file",")" + root + R"(",")" + root +
                R"(/bin/python",")" + root + R"(",true,"a script with some package in )" + root +
                R"(\n"])");
}

TEST_F(PodPackages, CommandUsesPackages) {
  const auto job = WithPackages(kube_.ShellJob(
      "some-script; for name in python python3 python" + version_ +
      "; do $name -c 'import hidden, somepkg, sys; print(sys.prefix)'; done; echo $VIRTUAL_ENV; "
      "echo $PATH; echo $PYTHONHOME.; cat $VIRTUAL_ENV/pyvenv.cfg"));
  EXPECT_EQ(Run(job, {{"PYTHONHOME", "/of the image"}}), 0) << kube_.last->Printed();
  const std::string root = root_.native();
  EXPECT_THAT(
      kube_.Text(job, Stream::kStdout),
      AllOf(StartsWith("a script with some package in " + root + "\n" + root + "\n" + root + "\n" +
                       root + "\n" + root + "\n" + root + "/bin:" + kPath + "\n.\nhome = /"),
            HasSubstr("\ninclude-system-site-packages = false\nversion = " + version_)));
}

TEST_F(PodPackages, InstallsProject) {
  auto job = WithPackages(kube_.ShellJob("some-script; python -I -c 'import own; own.main()'"));
  job.tree = kube_.PutBundle(
      {{"pyproject.toml",
        "[project]\nname = 'own'\nversion = '1.2'\nscripts = {some-script = 'own:main'}\n"},
       {"src/own.py",
        "from importlib.metadata import version\n"
        "def main():\n    print('own', version('own'))\n"}});
  EXPECT_EQ(Run(job), 0) << kube_.last->Printed();
  EXPECT_EQ(kube_.Text(job, Stream::kStdout), "own 1.2\nown 1.2\n");
  auto alone = job;
  alone.id += "-2";
  alone.environment = {kube_.PutBundle({}), version_, 0, 0};
  EXPECT_EQ(Run(alone), 0) << kube_.last->Printed();
  EXPECT_EQ(kube_.Text(alone, Stream::kStdout), "own 1.2\nown 1.2\n");
}

TEST_F(PodPackages, InstallsProjectInImageWithPackages) {
  std::filesystem::create_directories(root_ / "bin");
  std::filesystem::create_directories(root_ / "lib" / ("python" + version_) / "site-packages");
  auto job = kube_.ShellJob("ls $VIRTUAL_ENV/bin");
  job.tree = kube_.PutBundle(
      {{"pyproject.toml",
        "[project]\nname = 'own'\nversion = '1'\nscripts = {own-script = 'own:main'}\n"}});
  EXPECT_EQ(Run(job, {{"VIRTUAL_ENV", root_.native()}}), 0) << kube_.last->Printed();
  EXPECT_EQ(kube_.Text(job, Stream::kStdout), "own-script\n");
}

TEST_F(PodPackages, ReportsInvalidProject) {
  auto job = WithPackages(kube_.ShellJob("some-script"));
  job.tree = kube_.PutBundle({{"pyproject.toml", "[project]\nname = 3\n"}});
  EXPECT_EQ(Run(job), 0) << kube_.last->Printed();
  EXPECT_THAT(kube_.Text(job, Stream::kSystem), HasSubstr("the project is not installed: "));
}

TEST_F(PodPackages, UsesPipOfJob) {
  const auto job =
      WithPackages(kube_.ShellJob("command -v pip; echo $UV_SYSTEM_PYTHON.; pip list"));
  EXPECT_EQ(Run(job, {{"PIP_TARGET", "/of the image"}, {"UV_SYSTEM_PYTHON", "1"}}), 0)
      << kube_.last->Printed();
  EXPECT_THAT(kube_.Text(job, Stream::kStdout),
              AllOf(StartsWith(root_.native() + "/bin/pip\n.\nPackage"), HasSubstr("\npip ")));
  EXPECT_TRUE(std::filesystem::exists(root_ / "lib" / ("python" + version_) /
                                      "site-packages/pip/__init__.py"));
}

TEST_F(PodPackages, DropsRedirectionsInImagesWithPackages) {
  for (const std::string& environment : {root_.native(), std::string("/of the image")}) {
    const auto job = kube_.ShellJob("echo $UV_SYSTEM_PYTHON");
    EXPECT_EQ(Run(job, {{"VIRTUAL_ENV", environment}, {"UV_SYSTEM_PYTHON", "1"}}), 0);
    EXPECT_EQ(kube_.Text(job, Stream::kStdout), environment == root_ ? "\n" : "1\n");
  }
}

TEST_F(PodPackages, KeepsPathOfJobFile) {
  auto job = WithPackages(kube_.ShellJob("echo $PATH; $VIRTUAL_ENV/bin/some-script"));
  job.spec.env = {{"PATH", std::string("/of the job:") + kPath}};
  EXPECT_EQ(Run(job), 0) << kube_.last->Printed();
  EXPECT_EQ(kube_.Text(job, Stream::kStdout), std::string("/of the job:") + kPath +
                                                  "\na script with some package in " +
                                                  root_.native() + "\n");
}

TEST_F(PodPackages, UsesBaseOfImageVirtualEnvironment) {
  const Path own = kube_.tree / "venv";
  const std::string make = std::string("PATH=") + kPath +
                           " python3 -c 'import os, sys\n"
                           "os.makedirs(sys.argv[1] + \"/bin\")\n"
                           "os.symlink(sys.executable, sys.argv[1] + \"/bin/python3\")\n"
                           "open(sys.argv[1] + \"/pyvenv.cfg\", \"w\").write(\"home = \" + "
                           "os.path.dirname(sys.executable))' " +
                           own.native();
  ASSERT_EQ(::system(make.c_str()), 0);
  const auto job = WithPackages(kube_.ShellJob("cat $VIRTUAL_ENV/pyvenv.cfg; some-script"));
  EXPECT_EQ(Run(job, {{"PATH", (own / "bin").native() + ":" + kPath}}), 0) << kube_.last->Printed();
  EXPECT_THAT(kube_.Text(job, Stream::kStdout),
              AllOf(Not(HasSubstr(own.native())),
                    EndsWith("a script with some package in " + root_.native() + "\n")));
}

TEST_F(PodPackages, RejectsOtherPythonVersion) {
  auto job = kube_.ShellJob("echo user code");
  AddPackages(job, "3.8");
  ExpectRejected(job,
                 "the image registry/image:1 has Python " + version_ +
                     " (/usr/bin/python3), but the job's packages need Python 3.8 (set "
                     "'python: \"" +
                     version_ +
                     "\"' in the job file, or set an image with Python 3.8 in the profile, such "
                     "as python:3.8-slim)",
                 "/usr/bin:/bin");
}

TEST_F(PodPackages, RejectsOtherPythonVersionForFunction) {
  auto job = kube_.FunctionJob("print('user code')\n" + std::string(kFunction));
  AddPackages(job, "3.8");
  ExpectRejected(job, "but the job's packages need Python 3.8", kPath);
}

TEST_F(PodPackages, RejectsImageWithoutPython) {
  const auto job = WithPackages(kube_.ShellJob("echo user code"));
  ExpectRejected(job,
                 "no python3 found in the image registry/image:1 (PATH=/nowhere), but the job's "
                 "packages need Python " +
                     version_ + " (set an image with Python " + version_ +
                     " in the profile, such as ",
                 "/nowhere");
}

TEST_F(PodPackages, RejectsIncompatibleCLibrary) {
  const Path fake = FakePython(version_ + "\\n" + version_ + ".1\\n\\n/usr/local/bin/python3\\n");
  ExpectRejected(WithPackages(kube_.ShellJob("echo user code")),
                 "the Python of the image registry/image:1 (" + (fake / "python3").native() +
                     ") has a C library other than glibc, as on Alpine, but fast-1.0 needs glibc "
                     "(set an image with glibc in the profile, such as python:" +
                     version_ + "-slim)",
                 fake);
}

TEST_F(PodPackages, AcceptsPurePackagesWithAnyCLibrary) {
  const Path fake = FakePython(version_ + "\\n" + version_ + ".1\\n\\n/fake/python3\\n");
  auto job = kube_.ShellJob("echo $VIRTUAL_ENV");
  const std::string packages = "lib/python" + version_ + "/site-packages/";
  job.environment = {
      kube_.PutBundle({{packages + "pure-1.0.dist-info/WHEEL", "Tag: py3-none-any\n"}}), version_,
      1, 1};
  EXPECT_EQ(Run(job, {{"PATH", fake.native()}}), 0) << kube_.last->Printed();
  EXPECT_EQ(std::filesystem::read_symlink(root_ / "bin/python"), "/fake/python3");
}

TEST_F(PodPackages, PackagesBelongToUserOfImage) {
  if (::geteuid() != 0) GTEST_SKIP() << "only root can run as another user";
  std::filesystem::permissions(kube_.tree.path(), std::filesystem::perms(0755));
  const auto job = WithPackages(
      kube_.FunctionJob("import os, pathlib, sys\n"
                        "def main():\n"
                        "    import somepkg\n"
                        "    pathlib.Path(somepkg.__file__).with_name('new').write_text('mine')\n"
                        "    return [os.getuid(), os.stat(sys.prefix).st_uid]\n"));
  constexpr uid_t kNobody = 65534;
  EXPECT_EQ(kube_.RunPod(job, {.environment = {{"PATH", kPath}}, .user = kNobody}), 0)
      << kube_.last->Printed();
  EXPECT_EQ(kube_.Outcome(job).outcome.value.ToJson(), "[65534,65534]");
}

TEST_F(PodPackages, RestartedCollectorDoesNotFetchAgain) {
  const auto job = WithPackages(kube_.ShellJob("some-script"));
  const auto pod = kube_.StartPod(job);
  Eventually([&] { return pod->Printed().find("waiting for the job's") != std::string::npos; },
             "the collector is ready");
  pod->KillCollector();
  RemoveTreeOf(job);
  pod->StartCollector();
  pod->StartLauncher({.environment = {{"PATH", kPath}}});
  EXPECT_EQ(pod->AwaitLauncher(), 0) << pod->Printed();
  EXPECT_EQ(pod->EndCollector(), 0);
  EXPECT_EQ(kube_.Text(job, Stream::kStdout),
            "a script with some package in " + root_.native() + "\n");
  EXPECT_THAT(pod->Printed(), Not(HasSubstr("fetching the environment")));
}

TEST_F(PodPackages, IncompletePackagesAreFetchedAgain) {
  std::filesystem::create_directories(root_ / "lib");
  std::ofstream(root_ / "half").flush();
  const auto job = WithPackages(kube_.ShellJob("some-script"));
  EXPECT_EQ(Run(job), 0) << kube_.last->Printed();
  EXPECT_FALSE(std::filesystem::exists(root_ / "half"));
  EXPECT_THAT(kube_.last->Printed(), HasSubstr("fetching the environment"));
}

TEST_F(PodPackages, MissingPackagesFailBeforeUserCode) {
  auto job = WithPackages(kube_.ShellJob("echo user code"));
  RemoveTreeOf(job);
  EXPECT_EQ(Run(job), 201);
  const auto outcome = kube_.Outcome(job).outcome;
  EXPECT_EQ(outcome.phase, Phase::kPull);
  EXPECT_THAT(outcome.reason, StartsWith("cannot fetch the environment: "));
}

TEST_F(PodPackages, DoesNotFetchPackagesAboveDiskLimit) {
  auto job = WithPackages(kube_.ShellJob("echo user code"));
  job.environment->bytes = 3ULL << 30;
  job.spec.resources.disk_bytes = 2ULL << 30;
  EXPECT_EQ(Run(job), 201);
  const auto outcome = kube_.Outcome(job).outcome;
  EXPECT_EQ(outcome.exit_code, 123);
  EXPECT_EQ(
      outcome.reason,
      "the job's files, packages and data need 3.0 GiB, but resources.disk is 2.0 GiB "
      "(set 'resources: {disk: …}' to that size plus the size of the files that the job writes)");
  EXPECT_FALSE(std::filesystem::exists(root_));
}

TEST_F(PodPackages, DiskLimitIncludesFilesAndData) {
  auto job = WithPackages(kube_.ShellJob("echo user code"));
  job.spec.data = {{"/data", {"./data"}}};
  job.data = {{"/data", {kube_.PutBundle({{"large", std::string(1000, 'x')}})}}};
  job.spec.resources.disk_bytes = job.environment->bytes + 1000;
  EXPECT_EQ(Run(job), 201) << "five bytes of its bundle are too many";
  EXPECT_THAT(kube_.Outcome(job).outcome.reason, HasSubstr("but resources.disk is 1."));
  auto enough = job;
  enough.id += "-2";
  enough.spec.resources.disk_bytes = job.environment->bytes + 1005;
  EXPECT_EQ(Run(enough), 0) << kube_.last->Printed();
}

}  // namespace
}  // namespace kinetic::test

#include "env/resolve/resolver.h"
#include "environment_harness.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <sys/wait.h>
#include <unistd.h>

#include <csignal>
#include <string>
#include <thread>
#include <vector>

namespace kinetic::env {
namespace {

using ::testing::AllOf;
using ::testing::Contains;
using ::testing::ElementsAre;
using ::testing::HasSubstr;
using ::testing::IsEmpty;
using ::testing::Not;

class InstallationTest : public EnvironmentTest {
 protected:
  /// Resolves, builds, imports, runs a script, and repeats all of it without a network.
  void CheckInstallation() {
    const auto obtained = Obtain(Read("six==1.16.0\npygments>=2.17,<2.18\n"));
    ASSERT_TRUE(obtained) << obtained.error().message;
    EXPECT_FALSE(obtained->from_store);
    ASSERT_EQ(obtained->lock.packages.size(), 2U);
    EXPECT_EQ(obtained->lock.packages[1].version, "1.16.0");
    const auto ready = Ensure(obtained->lock);
    ASSERT_TRUE(ready) << ready.error().message << "\n" << ready.error().hint;
    EXPECT_TRUE(ready->built);
    EXPECT_THAT(*Output({ready->python.native(), "-c", "import six; print(six.__file__)"}),
                HasSubstr(ready->root.native() + "/lib"));
    EXPECT_THAT(*Output({ready->python.native(), "-m", "pygments", "-V"}), HasSubstr("2.17"));
    EXPECT_TRUE(PosixFileSystem().Lstat(ready->root / "bin/pygmentize"));
    const auto cached = ListEnvironments(PosixFileSystem(), tools_.cache_dir);
    ASSERT_TRUE(cached && cached->size() == 1U);
    EXPECT_EQ(FindDamage(PosixFileSystem(), cached->front()), "");
    EXPECT_THAT(Logs(), IsEmpty());

    const Manifest same = Read("# again\r\nsix==1.16.0\r\npygments>=2.17,<2.18  # why\r\n");
    tools_.search_path = "/nonexistent";
    const auto found = Obtain(same);
    ASSERT_TRUE(found) << found.error().message;
    EXPECT_TRUE(found->from_store);
    EXPECT_EQ(found->lock.EnvironmentId(), obtained->lock.EnvironmentId());
    const auto again = Ensure(found->lock);
    ASSERT_TRUE(again) << again.error().message;
    EXPECT_FALSE(again->built);
  }
};

TEST_F(InstallationTest, ResolvesAndInstalls) { CheckInstallation(); }

TEST_F(EnvironmentTest, InstallsUvOnce) {
  RemoveUv();
  const auto obtained = Obtain(Read("six==1.16.0\n"));
  ASSERT_TRUE(obtained) << obtained.error().message;
  EXPECT_THAT(obtained->lock.resolver, HasSubstr("uv "));
  EXPECT_THAT(lines_.all, HasSubstr("installing uv "));
  const auto installed = PosixFileSystem().ReadDirectory(tree_ / "cache/tools");
  ASSERT_TRUE(installed);
  ASSERT_EQ(installed->size(), 1U);
  const Path folder = tree_ / "cache/tools" / installed->at(0).name;
  EXPECT_TRUE(Works({(folder / "bin/uv").native(), "--version"}));
  EXPECT_FALSE(PosixFileSystem().Lstat(folder / "pip"));

  lines_.all.clear();
  ASSERT_TRUE(Obtain(Read("idna==3.7\n")));
  EXPECT_THAT(lines_.all, Not(HasSubstr("installing uv ")));
}

TEST_F(EnvironmentTest, InstallsUvWithoutPipInBasePython) {
  RemoveUv();
  // As on Debian with python3-venv and without python3-pip.
  tree_.Write("bin/python3",
              "#!/bin/sh\n[ \"$1 $2\" = '-m pip' ] && exit 1\nexec '" + python_.path.native() +
                  "' \"$@\"\n",
              0755);
  tools_.search_path = (tree_ / "bin").native() + ":" + tools_.search_path;
  const auto obtained = Obtain(Read("six==1.16.0\n"));
  ASSERT_TRUE(obtained) << obtained.error().message;
  EXPECT_EQ(PosixFileSystem().ReadDirectory(tree_ / "cache/tools")->size(), 1U);
}

TEST_F(EnvironmentTest, PythonWithoutPipAndVenvCausesErrorWithAdvice) {
  RemoveUv();
  tree_.Write("bin/python3",
              "#!/bin/sh\n[ \"$1\" = '-m' ] && exit 1\n[ \"$2\" = '-m' ] && exit 1\nexec '" +
                  python_.path.native() + "' \"$@\"\n",
              0755);
  tools_.search_path = (tree_ / "bin").native() + ":" + tools_.search_path;
  const auto obtained = Obtain(Read("six==1.16.0\n"));
  ASSERT_FALSE(obtained);
  EXPECT_EQ(obtained.error().code, ErrorCode::kFailedPrecondition);
  EXPECT_THAT(obtained.error().hint,
              HasSubstr("install uv, or python" + python_.Minor() + "-venv"));
  EXPECT_THAT(*PosixFileSystem().ReadDirectory(tree_ / "cache/tools"), IsEmpty());
}

TEST_F(EnvironmentTest, UvWithWrongHashIsNotInstalled) {
  RemoveUv();
  tree_.Write("links/uv-0.13.9-py3-none-manylinux_2_17_x86_64.whl", "not what was published");
  tools_.environment["PIP_NO_INDEX"] = "1";
  tools_.environment["PIP_FIND_LINKS"] = (tree_ / "links").native();
  const auto obtained = Obtain(Read("six==1.16.0\n"));
  ASSERT_FALSE(obtained);
  EXPECT_EQ(obtained.error().code, ErrorCode::kFailedPrecondition);
  EXPECT_THAT(obtained.error().message,
              AllOf(HasSubstr("cannot install uv "), HasSubstr("DO NOT MATCH THE HASHES")));
  EXPECT_THAT(obtained.error().hint, HasSubstr("or install uv yourself; full log: "));
  EXPECT_THAT(*PosixFileSystem().ReadDirectory(tree_ / "cache/tools"), IsEmpty());
}

TEST_F(EnvironmentTest, InstallsHashedRequirementsUnchanged) {
  // The digest of a file that never changes: six-1.16.0-py2.py3-none-any.whl.
  const Manifest manifest = Read(
      "six==1.16.0 --hash=sha256:"
      "8abb2f1d86890a2dfb989f9a77cfcfd3e47c2a354b01111771326f8aa26e0254\n");
  const auto obtained = Obtain(manifest);
  ASSERT_TRUE(obtained) << obtained.error().message;
  EXPECT_THAT(obtained->lock.resolver, HasSubstr("pip compile"));
  EXPECT_THAT(obtained->lock.packages.at(0).hashes, ElementsAre(HasSubstr(":8abb2f1d")));
  const auto ready = Ensure(obtained->lock);
  ASSERT_TRUE(ready) << ready.error().message;
  EXPECT_TRUE(Works({ready->python.native(), "-c", "import six"}));
}

TEST_F(EnvironmentTest, RejectsWheelWithWrongHash) {
  const auto rejected = Obtain(Read("six==1.16.0 --hash=sha256:" + std::string(64, '0') + "\n"));
  ASSERT_FALSE(rejected);
  EXPECT_THAT(rejected.error().message, HasSubstr("requirements.txt:1: hash mismatch"));
  auto obtained = Obtain(Read("six==1.16.0\n"));
  ASSERT_TRUE(obtained) << obtained.error().message;
  obtained->lock.packages.at(0).hashes = {"sha256:" + std::string(64, '0')};
  const auto ready = Ensure(obtained->lock);
  ASSERT_FALSE(ready);
  EXPECT_EQ(ready.error().code, ErrorCode::kFailedPrecondition);
  EXPECT_THAT(ready.error().message, HasSubstr("Hash mismatch"));
  EXPECT_THAT(Logs(), Contains(HasSubstr("Hash mismatch")));
  EXPECT_THAT(ready.error().hint, HasSubstr((tree_ / "cache/logs/environment-").native()));
  const auto left = PosixFileSystem().ReadDirectory(tree_ / "cache/environments");
  EXPECT_EQ(left->size(), 1U) << "only .locks";
}

TEST_F(EnvironmentTest, ErrorQuotesResolver) {
  const auto message = [&](const std::string& requirements) {
    const auto obtained = Obtain(Read(requirements));
    if (obtained) return std::string("no error");
    EXPECT_EQ(obtained.error().code, ErrorCode::kFailedPrecondition);
    return obtained.error().message;
  };
  EXPECT_THAT(message("idna==99.0\n"), HasSubstr("no version of idna==99.0"));
  EXPECT_THAT(message("requests==2.31.0\nidna==1.0\n"),
              HasSubstr("requests==2.31.0 depends on idna>=2.5"));
  EXPECT_EQ(Logs().size(), 2U);
}

TEST_F(EnvironmentTest, UnreachableIndexIsTransientError) {
  const auto obtained = Obtain(Read("-i http://127.0.0.1:9/simple\nsix\n"));
  ASSERT_FALSE(obtained);
  EXPECT_EQ(obtained.error().code, ErrorCode::kUnavailable) << obtained.error().message;
}

TEST_F(EnvironmentTest, TwoProcessesBuildOnce) {
  const auto obtained = Obtain(Read("six==1.16.0\n"));
  ASSERT_TRUE(obtained) << obtained.error().message;
  std::vector<pid_t> children;
  for (int i = 0; i < 2; ++i) {
    const pid_t child = ::fork();
    ASSERT_GE(child, 0);
    if (child == 0) {
      const auto ready = Ensure(obtained->lock);
      ::_exit(!ready ? 2 : ready->built ? 1 : 0);
    }
    children.push_back(child);
  }
  int built = 0;
  for (const pid_t child : children) {
    int status = 0;
    ASSERT_EQ(::waitpid(child, &status, 0), child);
    ASSERT_TRUE(WIFEXITED(status));
    built += WEXITSTATUS(status);
  }
  EXPECT_EQ(built, 1);
}

TEST_F(EnvironmentTest, KilledBuilderDoesNotBlockTheNext) {
  const auto obtained = Obtain(Read("six==1.16.0\n"));
  ASSERT_TRUE(obtained) << obtained.error().message;
  const pid_t child = ::fork();
  ASSERT_GE(child, 0);
  if (child == 0) {
    (void)Ensure(obtained->lock);
    ::_exit(0);
  }
  const auto begun = [&] {
    const auto entries = PosixFileSystem().ReadDirectory(tree_ / "cache/environments");
    return entries && entries->size() > 1;
  };
  for (int i = 0; i < 2000 && !begun(); ++i) {
    std::this_thread::sleep_for(std::chrono::milliseconds(5));
  }
  ASSERT_TRUE(begun());
  ASSERT_EQ(::kill(child, SIGKILL), 0);
  ASSERT_EQ(::waitpid(child, nullptr, 0), child);
  const auto ready = Ensure(obtained->lock);
  ASSERT_TRUE(ready) << ready.error().message;
  EXPECT_TRUE(Works({ready->python.native(), "-c", "import six"}));
}

TEST_F(EnvironmentTest, StopRequestEndsInstaller) {
  const auto obtained = Obtain(Read("six==1.16.0\n"));
  ASSERT_TRUE(obtained) << obtained.error().message;
  std::stop_source stop;
  Stopper stopper(stop);
  const auto ready =
      MakeVirtualenvBuilder({tools_, {}})->Ensure(obtained->lock, &stopper, stop.get_token());
  ASSERT_FALSE(ready);
  EXPECT_EQ(ready.error().code, ErrorCode::kCancelled) << ready.error().message;
  EXPECT_THAT(Logs(), IsEmpty());
}

TEST_F(PrivateIndexTest, PasswordDoesNotLeak) {
  const Manifest manifest =
      Read("-i http://ana:${INDEX_PASSWORD}@" + host_ + "/simple\nkinetic-private-sample\n");
  const auto obtained = Obtain(manifest);
  ASSERT_TRUE(obtained) << obtained.error().message;
  EXPECT_THAT(ToJson(obtained->lock), Not(HasSubstr("s3cret")));
  const auto ready = Ensure(obtained->lock, manifest.private_urls);
  ASSERT_TRUE(ready) << ready.error().message;
  EXPECT_EQ(*Output({ready->python.native(), "-c",
                     "import kinetic_private_sample as sample; sample.main()"}),
            "private\n");
  const Manifest direct = Read("kinetic-private-sample @ http://ana:${INDEX_PASSWORD}@" + host_ +
                               "/files/kinetic_private_sample-1.0-py3-none-any.whl\n");
  const auto archive = Obtain(direct);
  ASSERT_TRUE(archive) << archive.error().message;
  EXPECT_THAT(ToJson(archive->lock), Not(HasSubstr("s3cret")));
  EXPECT_THAT(archive->lock.packages.at(0).url, HasSubstr("http://" + host_ + "/files/"));
  const auto built = Ensure(archive->lock, direct.private_urls);
  ASSERT_TRUE(built) << built.error().message;
  EXPECT_THAT(lines_.all, Not(HasSubstr("s3cret")));
  EXPECT_TRUE(Works({"/bin/sh", "-c",
                     "! grep -rl s3cret '" + (tree_ / "store").native() + "' '" +
                         (tree_ / "cache").native() + "'"}));

  const auto wrong =
      Obtain(Read("-i http://ana:${INDEX_PASSWORD}@" + host_ + "/simple\nkinetic-other-sample\n"));
  ASSERT_FALSE(wrong);
  EXPECT_THAT(wrong.error().message, Not(HasSubstr("s3cret")));
  for (const auto& text : Logs()) EXPECT_THAT(text, Not(HasSubstr("s3cret")));
}

}  // namespace
}  // namespace kinetic::env

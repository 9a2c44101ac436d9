#include "base/subprocess.h"
#include "env/lock_store.h"
#include "env/python.h"
#include "env/resolve.h"
#include "env/virtualenv.h"
#include "store/open.h"
#include "support/temp_tree.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

#include <csignal>
#include <cstdio>
#include <map>
#include <memory>
#include <string>
#include <thread>
#include <vector>

extern char** environ;

namespace kinetic::env {
namespace {

using ::testing::AllOf;
using ::testing::Contains;
using ::testing::HasSubstr;
using ::testing::IsEmpty;
using ::testing::Not;

std::map<std::string, std::string> CallersEnvironment() {
  std::map<std::string, std::string> variables;
  for (char** at = environ; *at != nullptr; ++at) {
    const std::string text = *at;
    const auto equals = text.find('=');
    variables[text.substr(0, equals)] = text.substr(equals + 1);
  }
  return variables;
}

/// Everything that is said.
class Lines final : public Observer {
 public:
  void OnOutput(Phase, std::string_view line) override { all += std::string(line) + "\n"; }
  std::string all;
};

/// Real pip and uv, real packages from the network, in a cache of the test's own.
class EnvironmentTest : public ::testing::Test {
 protected:
  void SetUp() override {
    tools_.cache_dir = tree_ / "cache";
    tools_.environment = CallersEnvironment();
    tools_.environment["UV_CACHE_DIR"] = (tree_ / "uv").native();
    tools_.search_path = tools_.environment["PATH"];
    auto opened = store::Open((tree_ / "store").native(), {PosixFileSystem(), SystemClock()}, {});
    ASSERT_TRUE(opened) << opened.error().message;
    store_ = *std::move(opened);
    const auto python = FindPython("", tools_, {});
    ASSERT_TRUE(python) << python.error().message;
    python_ = *python;
  }

  /// Puts uv on the search path, from a virtual environment made for it.
  void InstallUv() {
    const Path root = tree_ / "uv-home";
    ASSERT_TRUE(Works({python_.path.native(), "-m", "venv", root.native()}));
    ASSERT_TRUE(Works({(root / "bin/python").native(), "-m", "pip", "install", "-q", "uv"}));
    tree_.MakeFolder("uv-bin");
    tree_.MakeLink("uv-bin/uv", (root / "bin/uv").native());
    tools_.search_path = (tree_ / "uv-bin").native() + ":" + tools_.search_path;
  }

  bool Works(std::vector<std::string> argv) { return Output(std::move(argv)).has_value(); }

  std::optional<std::string> Output(std::vector<std::string> argv) {
    std::string output;
    Subprocess program;
    program.argv = std::move(argv);
    program.search_path = tools_.search_path;
    program.environment = tools_.environment;
    program.on_stdout = [&](std::string_view bytes) { output += bytes; };
    program.on_stderr = program.on_stdout;
    const auto ended = ::kinetic::Run(program, {});
    if (ended && ended->Succeeded()) return output;
    ADD_FAILURE() << output;
    return std::nullopt;
  }

  Manifest Read(const std::string& requirements) {
    tree_.Write("project/requirements.txt", requirements);
    ManifestOptions options;
    options.directory = options.bound = tree_ / "project";
    options.python = python_.Minor();
    options.platform = HostPlatform();
    options.environment = tools_.environment;
    auto manifest = ReadManifest(PosixFileSystem(), options);
    EXPECT_TRUE(manifest) << manifest.error().message;
    return manifest ? *std::move(manifest) : Manifest();
  }

  Result<ObtainedLock> Obtain(const Manifest& manifest) {
    LockOptions options;
    options.tools = tools_;
    return ObtainLock(*store_, manifest, options, &lines_, {});
  }

  Result<ReadyEnvironment> Ensure(const Lock& lock, const PrivateUrls& urls = {}) {
    return MakeVirtualenvBuilder({tools_, urls})->Ensure(lock, &lines_, {});
  }

  std::vector<std::string> Logs() const {
    std::vector<std::string> texts;
    const auto entries = PosixFileSystem().ReadDirectory(tree_ / "cache/logs");
    if (!entries) return texts;
    for (const auto& entry : *entries) texts.push_back(tree_.Read("cache/logs/" + entry.name));
    return texts;
  }

  /// Resolves, builds, imports, runs a script, and finds all of it again without a network.
  void CheckWholeWay() {
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
    EXPECT_THAT(*Output({(ready->root / "bin/pygmentize").native(), "-V"}), HasSubstr("2.17"));
    EXPECT_THAT(
        *Output({"/bin/sh", "-c",
                 ". " + (ready->root / "bin/activate").native() + "; command -v pygmentize"}),
        HasSubstr(ready->root.native() + "/bin/pygmentize"));
    EXPECT_THAT(Logs(), IsEmpty());

    const Manifest same = Read("# again\nPygments<2.18,>=2.17\r\nSIX==1.16.0\n");
    tools_.search_path = "/nonexistent";
    const auto found = Obtain(same);
    ASSERT_TRUE(found) << found.error().message;
    EXPECT_TRUE(found->from_store);
    EXPECT_EQ(found->lock.EnvironmentId(), obtained->lock.EnvironmentId());
    const auto again = Ensure(found->lock);
    ASSERT_TRUE(again) << again.error().message;
    EXPECT_FALSE(again->built);
  }

  test::TempTree tree_;
  ToolOptions tools_;
  std::unique_ptr<store::Store> store_;
  Interpreter python_;
  Lines lines_;
};

TEST_F(EnvironmentTest, PipGoesTheWholeWay) { CheckWholeWay(); }

TEST_F(EnvironmentTest, UvGoesTheWholeWay) {
  InstallUv();
  CheckWholeWay();
}

TEST_F(EnvironmentTest, UvAndPipAgree) {
  const Manifest manifest = Read("idna==3.7\n");
  const auto by_pip = Resolve(manifest, tools_, &lines_, {});
  ASSERT_TRUE(by_pip) << by_pip.error().message;
  EXPECT_THAT(by_pip->resolver, HasSubstr("pip "));
  InstallUv();
  const auto by_uv = Resolve(manifest, tools_, &lines_, {});
  ASSERT_TRUE(by_uv) << by_uv.error().message;
  EXPECT_THAT(by_uv->resolver, HasSubstr("uv "));
  ASSERT_EQ(by_uv->packages.size(), 1U);
  EXPECT_EQ(by_uv->packages[0].version, by_pip->packages.at(0).version);
  EXPECT_THAT(by_uv->packages[0].hashes, Contains(by_pip->packages[0].hashes.at(0)));
}

TEST_F(EnvironmentTest, AHashedFileIsInstalledAsItIs) {
  // The digest of a file that never changes: six-1.16.0-py2.py3-none-any.whl.
  const Manifest manifest = Read(
      "six==1.16.0 --hash=sha256:"
      "8abb2f1d86890a2dfb989f9a77cfcfd3e47c2a354b01111771326f8aa26e0254\n");
  const auto obtained = Obtain(manifest);
  ASSERT_TRUE(obtained) << obtained.error().message;
  EXPECT_EQ(obtained->lock.resolver, "requirements.txt");
  const auto ready = Ensure(obtained->lock);
  ASSERT_TRUE(ready) << ready.error().message;
  EXPECT_TRUE(Works({ready->python.native(), "-c", "import six"}));
}

TEST_F(EnvironmentTest, AnotherContentIsNotInstalled) {
  const auto obtained = Obtain(Read("six==1.16.0 --hash=sha256:" + std::string(64, '0') + "\n"));
  ASSERT_TRUE(obtained);
  const auto ready = Ensure(obtained->lock);
  ASSERT_FALSE(ready);
  EXPECT_EQ(ready.error().code, ErrorCode::kFailedPrecondition);
  EXPECT_THAT(ready.error().message, HasSubstr("DO NOT MATCH THE HASHES"));
  EXPECT_THAT(Logs(), Contains(HasSubstr("DO NOT MATCH THE HASHES")));
  EXPECT_THAT(ready.error().hint, HasSubstr((tree_ / "cache/logs/environment-").native()));
  const auto left = PosixFileSystem().ReadDirectory(tree_ / "cache/environments");
  EXPECT_EQ(left->size(), 1U) << "only .locks";
}

TEST_F(EnvironmentTest, ResolversAreQuoted) {
  const auto message = [&](const std::string& requirements) {
    const auto obtained = Obtain(Read(requirements));
    if (obtained) return std::string("no error");
    EXPECT_EQ(obtained.error().code, ErrorCode::kFailedPrecondition);
    return obtained.error().message;
  };
  EXPECT_THAT(message("idna==99.0\n"), HasSubstr("No matching distribution found for idna==99.0"));
  EXPECT_THAT(message("requests==2.31.0\nidna==1.0\n"),
              AllOf(HasSubstr("Cannot install "), HasSubstr("requests==2.31.0"),
                    Not(HasSubstr("-r requirements.txt"))));
  InstallUv();
  EXPECT_THAT(message("idna==99.0\n"), HasSubstr("no version of idna==99.0"));
  EXPECT_EQ(Logs().size(), 3U);
}

TEST_F(EnvironmentTest, AnIndexThatIsAwayIsAPassingFault) {
  const auto obtained = Obtain(Read("-i http://127.0.0.1:9/simple\nsix\n"));
  ASSERT_FALSE(obtained);
  EXPECT_EQ(obtained.error().code, ErrorCode::kUnavailable) << obtained.error().message;
}

TEST_F(EnvironmentTest, APythonWithoutPipGetsOneForInstalling) {
  // As on Debian with python3-venv and without python3-pip.
  tree_.Write("bin/python" + python_.Minor(),
              "#!/bin/sh\n[ \"$1 $2\" = '-m pip' ] && exit 1\nexec '" + python_.path.native() +
                  "' \"$@\"\n",
              0755);
  tools_.search_path = (tree_ / "bin").native() + ":" + tools_.search_path;
  const auto obtained = Obtain(Read("six==1.16.0\n"));
  ASSERT_TRUE(obtained) << obtained.error().message;
  const auto ready = Ensure(obtained->lock);
  ASSERT_TRUE(ready) << ready.error().message;
  EXPECT_TRUE(Works({ready->python.native(), "-c", "import six"}));
  EXPECT_EQ(PosixFileSystem().ReadDirectory(tree_ / "cache/tools")->size(), 1U);
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

TEST_F(EnvironmentTest, ABuilderThatWasKilledLeavesTheWayFree) {
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

TEST_F(EnvironmentTest, AStopEndsTheInstaller) {
  const auto obtained = Obtain(Read("six==1.16.0\n"));
  ASSERT_TRUE(obtained) << obtained.error().message;
  std::stop_source stop;
  class Stopper final : public Observer {
   public:
    explicit Stopper(std::stop_source& source) : source_(source) {}
    void OnOutput(Phase, std::string_view) override { source_.request_stop(); }

   private:
    std::stop_source& source_;
  } stopper(stop);
  const auto ready =
      MakeVirtualenvBuilder({tools_, {}})->Ensure(obtained->lock, &stopper, stop.get_token());
  ASSERT_FALSE(ready);
  EXPECT_EQ(ready.error().code, ErrorCode::kCancelled) << ready.error().message;
  EXPECT_THAT(Logs(), IsEmpty());
}

/// An index that asks for a password, as a program of its own.
class PrivateIndexTest : public EnvironmentTest {
 protected:
  void SetUp() override {
    EnvironmentTest::SetUp();
    const std::string fifo = (tree_ / "stdin").native();
    ASSERT_EQ(::mkfifo(fifo.c_str(), 0600), 0);
    const std::string command = "exec '" + python_.path.native() +
                                "' '" KINETIC_PRIVATE_INDEX "' s3cret-w0rd < '" + fifo + "'";
    output_ = ::popen(command.c_str(), "re");
    ASSERT_NE(output_, nullptr);
    input_ = *PosixFileSystem().Open(fifo, OpenMode::kAppend, 0);
    int port = 0;
    ASSERT_EQ(std::fscanf(output_, "%d", &port), 1);
    host_ = "127.0.0.1:" + std::to_string(port);
    tools_.environment["INDEX_PASSWORD"] = "s3cret-w0rd";
    tools_.environment.erase("PIP_FIND_LINKS");
  }

  void TearDown() override {
    input_.Reset();
    if (output_ != nullptr) ::pclose(output_);
  }

  void CheckSecrecy() {
    const Manifest manifest =
        Read("-i http://ana:${INDEX_PASSWORD}@" + host_ + "/simple\nkinetic-private-sample\n");
    const auto obtained = Obtain(manifest);
    ASSERT_TRUE(obtained) << obtained.error().message;
    EXPECT_THAT(ToJson(obtained->lock), Not(HasSubstr("s3cret")));
    const auto ready = Ensure(obtained->lock, manifest.private_urls);
    ASSERT_TRUE(ready) << ready.error().message;
    EXPECT_EQ(*Output({(ready->root / "bin/private-sample").native()}), "private\n");
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

    const auto wrong = Obtain(
        Read("-i http://ana:${INDEX_PASSWORD}@" + host_ + "/simple\nkinetic-other-sample\n"));
    ASSERT_FALSE(wrong);
    EXPECT_THAT(wrong.error().message, Not(HasSubstr("s3cret")));
    for (const auto& text : Logs()) EXPECT_THAT(text, Not(HasSubstr("s3cret")));
  }

  FILE* output_ = nullptr;
  UniqueFd input_;
  std::string host_;
};

TEST_F(PrivateIndexTest, PipKeepsThePasswordToItself) { CheckSecrecy(); }

TEST_F(PrivateIndexTest, UvKeepsThePasswordToItself) {
  InstallUv();
  CheckSecrecy();
}

}  // namespace
}  // namespace kinetic::env

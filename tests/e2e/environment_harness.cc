#include "environment_harness.h"

#include "base/process/subprocess.h"
#include "base/strings.h"
#include "store/open.h"

#include <sys/stat.h>

#include <map>
#include <utility>

extern char** environ;

namespace kinetic::env {
namespace {

std::map<std::string, std::string> CallersEnvironment() {
  std::map<std::string, std::string> variables;
  for (char** at = environ; *at != nullptr; ++at) {
    const std::string text = *at;
    const auto equals = text.find('=');
    variables[text.substr(0, equals)] = text.substr(equals + 1);
  }
  return variables;
}

}  // namespace

void EnvironmentTest::SetUp() {
  tools_.cache_dir = tree_ / "cache";
  tools_.environment = CallersEnvironment();
  tools_.search_path = tools_.environment["PATH"];
  auto opened = store::Open((tree_ / "store").native(), {PosixFileSystem(), SystemClock()}, {});
  ASSERT_TRUE(opened) << opened.error().message;
  store_ = *std::move(opened);
  const auto python = FindPython("", tools_, {});
  ASSERT_TRUE(python) << python.error().message;
  python_ = *python;
}

void EnvironmentTest::RemoveUv() {
  std::vector<std::string> folders;
  for (const auto folder : Split(tools_.search_path, ':')) {
    if (!FindExecutable("uv", folder)) folders.emplace_back(folder);
  }
  tools_.search_path = tools_.environment["PATH"] = Join(folders, ":");
}

std::optional<std::string> EnvironmentTest::Output(std::vector<std::string> argv) {
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

Manifest EnvironmentTest::ReadWith(const std::string& requirements, ManifestOptions options) {
  tree_.Write("project/requirements.txt", requirements);
  options.search_start = options.search_root = tree_ / "project";
  options.variables = {.environment = tools_.environment, .secrets = {"INDEX_PASSWORD"}};
  auto manifest = ReadManifest(PosixFileSystem(), options);
  EXPECT_TRUE(manifest) << manifest.error().message;
  return manifest ? *std::move(manifest) : Manifest();
}

Manifest EnvironmentTest::Read(const std::string& requirements) {
  ManifestOptions options;
  options.python = python_.Minor();
  options.platform = HostPlatform();
  return ReadWith(requirements, std::move(options));
}

Manifest EnvironmentTest::ReadForPod(const std::string& requirements,
                                     const std::string& accelerator) {
  ManifestOptions options;
  options.python = "3.12";
  options.platform = "linux-x86_64";
  options.accelerator = accelerator;
  options.for_pod = true;
  return ReadWith(requirements, std::move(options));
}

Result<ObtainedLock> EnvironmentTest::Obtain(const Manifest& manifest) {
  LockOptions options;
  options.tools = tools_;
  return ObtainLock(*store_, manifest, options, &lines_, {});
}

Result<ReadyEnvironment> EnvironmentTest::Ensure(const Lock& lock, const PrivateUrls& urls) {
  return MakeVirtualenvBuilder({tools_, urls})->Ensure(lock, &lines_, {});
}

std::vector<std::string> EnvironmentTest::Logs() const {
  std::vector<std::string> texts;
  const auto entries = PosixFileSystem().ReadDirectory(tree_ / "cache/logs");
  if (!entries) return texts;
  for (const auto& entry : *entries) texts.push_back(tree_.Read("cache/logs/" + entry.name));
  return texts;
}

void PrivateIndexTest::SetUp() {
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
  tools_.environment["UV_CACHE_DIR"] = (tree_ / "uv").native();
}

void PrivateIndexTest::TearDown() {
  input_.Reset();
  if (output_ != nullptr) ::pclose(output_);
}

}  // namespace kinetic::env

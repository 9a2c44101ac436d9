#include "runner/devices/check.h"

#include "runner/program/python.h"
#include "runner/program/virtual_environment.h"
#include "support/temp_tree.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <filesystem>
#include <thread>

namespace kinetic::runner {
namespace {

using ::testing::AllOf;
using ::testing::ElementsAre;
using ::testing::EndsWith;
using ::testing::HasSubstr;
using ::testing::IsEmpty;
using ::testing::StartsWith;

/// Where the machine's Python is.
constexpr const char* kPath = "/usr/local/bin:/usr/bin:/bin";

/// Returns the source of a module that behaves like JAX.
std::string JaxThatSees(const std::string& platform, int count) {
  return "class Device:\n"
         "    platform = '" +
         platform +
         "'\n"
         "__version__ = '0.5.3'\n"
         "def local_devices():\n"
         "    return [Device()] * " +
         std::to_string(count) + "\n";
}

std::string TorchThatSees(int count) {
  return "class version:\n"
         "    cuda = '12.4'\n"
         "class cuda:\n"
         "    is_available = staticmethod(lambda: True)\n"
         "    device_count = staticmethod(lambda: " +
         std::to_string(count) +
         ")\n"
         "__version__ = '2.6.0'\n";
}

/// Checks fake frameworks with the machine's Python.
class DeviceCheckTest : public ::testing::Test {
 protected:
  void SetUp() override {
    const auto python = FindFunctionPython({{}, kPath, {{"PATH", kPath}}, {}}, {});
    ASSERT_TRUE(python) << python.error().message;
    version_ = python->version;
    const auto made = MakeVirtualEnvironment(PosixFileSystem(), {tree_ / "environment", version_},
                                             {version_, kPath, {{"PATH", kPath}}, {}}, {});
    ASSERT_TRUE(made) << made.error().message;
    program_.argv = {"./train"};
    program_.environment = {{"PATH", kPath}};
    program_.working_directory = tree_.MakeFolder("work");
    for (const char* const name : {"accel0", "accel1", "nvidia0", "nvidia1"}) {
      tree_.Write(std::string("dev/") + name, "");
    }
  }

  void Install(const std::string& framework, const std::string& source) {
    const Path folder = Path("environment/lib/python" + version_) / "site-packages" / framework;
    // Python would reuse the compiled module if size and second of modification are equal.
    std::filesystem::remove_all(tree_ / (folder / "__pycache__").native());
    tree_.Write((folder / "__init__.py").native(), source);
  }
  Result<DeviceCheckResult> Check(ChipKind kind = ChipKind::kTpu) {
    return CheckDevices(PosixFileSystem(),
                        {.requested = {kind, 2},
                         .program = program_,
                         .environment = tree_ / "environment",
                         .devices = tree_ / "dev",
                         .timeout = timeout_},
                        stop_.get_token());
  }
  void ExpectNothing(ChipKind kind = ChipKind::kTpu) {
    const auto result = Check(kind);
    ASSERT_TRUE(result) << result.error().message;
    EXPECT_FALSE(result->fault) << result->fault->message;
    EXPECT_THAT(result->notes, IsEmpty());
  }
  std::string Fault(ChipKind kind = ChipKind::kTpu) {
    const auto result = Check(kind);
    if (!result) return result.error().message;
    return result->fault ? result->fault->message : "no fault";
  }
  std::vector<std::string> Notes(ChipKind kind = ChipKind::kTpu) {
    const auto result = Check(kind);
    if (!result) return {result.error().message};
    return result->fault ? std::vector<std::string>{result->fault->message} : result->notes;
  }

  test::TempTree tree_;
  std::string version_;
  Program program_;
  std::chrono::milliseconds timeout_{60'000};
  std::stop_source stop_;
};

TEST_F(DeviceCheckTest, AcceptsFrameworkThatSeesChips) {
  Install("jax", JaxThatSees("tpu", 2));
  ExpectNothing();
}

TEST_F(DeviceCheckTest, AcceptsJobWithoutFramework) {
  ExpectNothing();
  std::filesystem::create_directories(tree_ / ("environment/lib/python" + version_) /
                                      "site-packages/jax/left_behind");
  ExpectNothing();
}

TEST_F(DeviceCheckTest, RejectsFrameworkThatSeesOnlyTheCpu) {
  Install("jax", JaxThatSees("cpu", 1));
  EXPECT_EQ(
      Fault(),
      "jax 0.5.3 detects 1 cpu device and no TPU (the package libtpu is not installed); the job "
      "requested 2 chips");
  Install("libtpu", "");
  EXPECT_EQ(Fault(), "jax 0.5.3 detects 1 cpu device and no TPU; the job requested 2 chips");
  std::filesystem::remove(tree_ / "dev/accel1");
  EXPECT_THAT(Fault(), HasSubstr("the container has 1 of the device files"));
}

TEST_F(DeviceCheckTest, RejectsWithTheFrameworksMessage) {
  Install("libtpu", "");
  Install("jax",
          "__version__ = '0.5.3'\n"
          "def local_devices():\n"
          "    raise RuntimeError(\"Unable to initialize backend 'tpu'\")\n");
  EXPECT_EQ(Fault(),
            "jax 0.5.3 detects no TPU (its message: Unable to initialize backend 'tpu'); the job "
            "requested 2 chips");
}

/// As JAX 0.10 does with JAX_PLATFORMS=cuda.
TEST_F(DeviceCheckTest, RejectsUnsupportedPlatform) {
  Install("jax", "__version__ = '0.10.2'\ndef local_devices():\n    assert False\n");
  EXPECT_EQ(
      Fault(ChipKind::kGpu),
      "jax 0.10.2 detects no GPU (its CUDA plugin is not installed); the job requested 2 GPUs");
}

TEST_F(DeviceCheckTest, DetectsCudaPluginOfJax) {
  Install("jax", JaxThatSees("cpu", 1));
  EXPECT_THAT(Fault(ChipKind::kGpu), HasSubstr("its CUDA plugin is not installed"));
  Install("jax_cuda12_plugin", "");
  EXPECT_EQ(Fault(ChipKind::kGpu),
            "jax 0.5.3 detects 1 cpu device and no GPU; the job requested 2 GPUs");
}

TEST_F(DeviceCheckTest, DetectsCudaOfTorch) {
  Install("torch", TorchThatSees(2));
  ExpectNothing(ChipKind::kGpu);
  Install("torch", TorchThatSees(1));
  EXPECT_EQ(Fault(ChipKind::kGpu), "torch 2.6.0 detects 1 gpu device; the job requested 2 GPUs");
  Install("torch",
          "class version:\n    cuda = None\n"
          "class cuda:\n    is_available = staticmethod(lambda: False)\n"
          "__version__ = '2.6.0+cpu'\n");
  EXPECT_EQ(Fault(ChipKind::kGpu),
            "torch 2.6.0+cpu detects no GPU (it was built without CUDA); the job requested 2 GPUs");
}

TEST_F(DeviceCheckTest, CrashLetsTheJobStart) {
  Install("jax", "import no_such_jaxlib\n");
  EXPECT_THAT(Notes(), ElementsAre("could not check whether jax detects the 2 TPU chips: "
                                   "ModuleNotFoundError: No module named 'no_such_jaxlib'"));
  Install("jax", "import os, signal; os.kill(os.getpid(), signal.SIGKILL)\n");
  EXPECT_THAT(
      Notes(),
      ElementsAre("could not check whether jax detects the 2 TPU chips: killed by signal 9"));
  Install("jax", "import os; os._exit(3)\n");
  EXPECT_THAT(Notes(), ElementsAre(EndsWith(": exited with code 3")));
}

TEST_F(DeviceCheckTest, TimeoutLetsTheJobStart) {
  timeout_ = std::chrono::milliseconds(500);
  Install("jax", "import time; time.sleep(3600)\n");
  EXPECT_THAT(Notes(),
              ElementsAre(StartsWith("could not check whether jax detects the 2 TPU chips: "
                                     "no response after 500 ms")));
}

TEST_F(DeviceCheckTest, AcceptsReportDespiteOtherOutputAndExitCode) {
  Install("jax",
          "import atexit, os\n"
          "print('{\"version\": 1}', flush=True)\n"
          "atexit.register(lambda: os._exit(3))\n" +
              JaxThatSees("tpu", 2));
  ExpectNothing();
}

TEST_F(DeviceCheckTest, DoesNotImportModulesOfTheJob) {
  const std::string trap = "open('" + (tree_ / "ran").native() + "', 'w')\n";
  for (const char* const name : {"jax.py", "json.py", "sitecustomize.py", "libtpu.py"}) {
    tree_.Write(std::string("work/") + name, trap);
  }
  program_.environment["PYTHONPATH"] = (tree_ / "work").native();
  program_.environment["PYTHONSTARTUP"] = (tree_ / "work/jax.py").native();
  ExpectNothing();
  Install("jax", JaxThatSees("tpu", 2));
  ExpectNothing();
  EXPECT_FALSE(std::filesystem::exists(tree_ / "ran"));
}

TEST_F(DeviceCheckTest, ProbeHasTheProgramsEnvironmentAndEnds) {
  program_.environment["SEEN_BY"] = "the program";
  Install("jax",
          "import os\n"
          "assert os.environ['SEEN_BY'] == 'the program'\n"
          "assert os.environ['XLA_PYTHON_CLIENT_PREALLOCATE'] == 'false'\n"
          "assert os.path.samefile(os.getcwd(), '" +
              (tree_ / "work").native() +
              "')\n"
              "open('" +
              (tree_ / "pid").native() + "', 'w').write(str(os.getpid()))\n" +
              JaxThatSees("gpu", 2));
  ExpectNothing(ChipKind::kGpu);
  EXPECT_FALSE(std::filesystem::exists("/proc/" + tree_.Read("pid")));
}

/// Each framework waits until the other has started.
TEST_F(DeviceCheckTest, ProbesFrameworksInParallel) {
  const auto wait = [&](const std::string& own, const std::string& other) {
    return "import os, time\nopen('" + (tree_ / own).native() +
           "', 'w')\nwhile not os.path.exists('" + (tree_ / other).native() +
           "'): time.sleep(0.01)\n";
  };
  Install("jax", wait("jax", "torch") + JaxThatSees("cpu", 1));
  Install("torch", wait("torch", "jax") + TorchThatSees(2));
  EXPECT_THAT(
      Notes(ChipKind::kGpu),
      ElementsAre(StartsWith("jax 0.5.3 detects 1 cpu device and no GPU (its CUDA plugin is "
                             "not installed); the job requested 2 GPUs: ")));
}

TEST_F(DeviceCheckTest, StopRequestEndsProbe) {
  const Path begun = tree_ / "begun";
  Install("jax", "import time\nopen('" + begun.native() + "', 'w')\ntime.sleep(3600)\n");
  const std::jthread stopper([&] {
    while (!std::filesystem::exists(begun)) std::this_thread::yield();
    stop_.request_stop();
  });
  const auto result = Check();
  ASSERT_FALSE(result);
  EXPECT_EQ(result.error().code, ErrorCode::kCancelled);
}

TEST_F(DeviceCheckTest, SkipsProgramsWithoutPython) {
  Install("jax", JaxThatSees("cpu", 1));
  const auto result = CheckDevices(PosixFileSystem(),
                                   {.requested = {ChipKind::kTpu, 8},
                                    .program = program_,
                                    .environment = {},
                                    .devices = tree_ / "dev"},
                                   {});
  ASSERT_TRUE(result);
  EXPECT_FALSE(result->fault);
  EXPECT_THAT(result->notes, ElementsAre(HasSubstr("its container has 2 (")));
}

TEST_F(DeviceCheckTest, AcceptsLimitedDevices) {
  Install("jax", JaxThatSees("tpu", 1));
  program_.environment["TPU_VISIBLE_CHIPS"] = "0";
  ExpectNothing();
  program_.environment["TPU_VISIBLE_CHIPS"] = "";
  EXPECT_THAT(Fault(), HasSubstr("detects 1 tpu device; the job requested 2 chips"));
}

using Names = std::vector<std::string>;

TEST(FrameworksToProbeTest, DependOnTheAccelerator) {
  EXPECT_EQ(FrameworksToProbe(ChipKind::kTpu, {}), Names{"jax"});
  EXPECT_EQ(FrameworksToProbe(ChipKind::kGpu, {}), (Names{"jax", "torch"}));
}

TEST(FrameworksToProbeTest, AreNoneIfTheJobDisablesTheCheck) {
  const std::map<std::string, std::string> no{{"KINETIC_CHECK_DEVICES", "no"}};
  EXPECT_EQ(FrameworksToProbe(ChipKind::kTpu, no), Names{});
  EXPECT_EQ(FrameworksToProbe(ChipKind::kGpu, no), Names{});
  EXPECT_EQ(FrameworksToProbe(ChipKind::kTpu, {{"KINETIC_CHECK_DEVICES", "yes"}}), Names{"jax"});
}

TEST(FrameworksToProbeTest, ExcludeThoseConfiguredForOtherPlatforms) {
  const auto tpu = [](const std::string& name, const std::string& value) {
    return FrameworksToProbe(ChipKind::kTpu, {{name, value}});
  };
  EXPECT_EQ(tpu("JAX_PLATFORMS", "cpu"), Names{});
  EXPECT_EQ(tpu("JAX_PLATFORMS", "cuda,cpu"), Names{});
  EXPECT_EQ(tpu("JAX_PLATFORM_NAME", "cpu"), Names{});
  EXPECT_EQ(tpu("JAX_PLATFORMS", ""), Names{"jax"});
  EXPECT_EQ(tpu("JAX_PLATFORMS", "TPU, cpu"), Names{"jax"});
  EXPECT_EQ(tpu("CUDA_VISIBLE_DEVICES", ""), Names{"jax"});
  const auto gpu = [](const std::string& name, const std::string& value) {
    return FrameworksToProbe(ChipKind::kGpu, {{name, value}});
  };
  EXPECT_EQ(gpu("JAX_PLATFORMS", "cpu"), Names{"torch"});
  EXPECT_EQ(gpu("JAX_PLATFORMS", "gpu"), (Names{"jax", "torch"}));
  EXPECT_EQ(gpu("JAX_PLATFORMS", "cpu,cuda"), (Names{"jax", "torch"}));
  EXPECT_EQ(gpu("CUDA_VISIBLE_DEVICES", ""), Names{});
  EXPECT_EQ(gpu("CUDA_VISIBLE_DEVICES", "-1"), Names{});
  EXPECT_EQ(gpu("CUDA_VISIBLE_DEVICES", "0"), (Names{"jax", "torch"}));
}

}  // namespace
}  // namespace kinetic::runner

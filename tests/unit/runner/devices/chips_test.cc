#include "runner/devices/chips.h"

#include "support/temp_tree.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

namespace kinetic::runner {
namespace {

using ::testing::HasSubstr;

class ChipsTest : public ::testing::Test {
 protected:
  std::string Check(const std::string& requested) {
    const auto chips = ParseChips(requested);
    if (!chips) return "unknown";
    const auto missing = FindMissingChips(PosixFileSystem(), *chips, dev_.path());
    return missing ? DescribeMissingChips(*missing, *chips) : "";
  }

  test::TempTree dev_;
};

TEST_F(ChipsTest, ReportsNothingIfAllChipsExist) {
  for (const char* const name : {"accel0", "accel1", "accel2", "accel3", "nvidia0", "nvidiactl"}) {
    dev_.Write(name, "");
  }
  EXPECT_EQ(Check("google.com/tpu=4"), "");
  EXPECT_EQ(Check("nvidia.com/gpu=1"), "");
}

TEST_F(ChipsTest, FindsTpusOfTheNewDriver) {
  dev_.Write("vfio/vfio", "");
  EXPECT_THAT(Check("google.com/tpu=1"), HasSubstr("has none"));
  dev_.Write("vfio/0", "");
  dev_.Write("vfio/17", "");
  EXPECT_EQ(Check("google.com/tpu=2"), "");
}

TEST_F(ChipsTest, CountsMissingChips) {
  dev_.Write("nvidia0", "");
  dev_.Write("nvidia-uvm", "");
  EXPECT_EQ(Check("nvidia.com/gpu=8"), "the job requested 8 GPUs, but its container has 1 (" +
                                           (dev_ / "nvidia*").native() +
                                           "); the program may use the CPU instead");
  EXPECT_EQ(Check("google.com/tpu=4"),
            "the job requested 4 TPU chips, but its container has none (" +
                (dev_ / "accel*").native() + ", " + (dev_ / "vfio/*").native() +
                "); the program may use the CPU instead");
}

TEST_F(ChipsTest, IgnoresUnknownResources) {
  for (const char* const text : {"", "amd.com/gpu=1", "google.com/tpu=many", "google.com/tpu"}) {
    EXPECT_FALSE(ParseChips(text)) << text;
  }
}

}  // namespace
}  // namespace kinetic::runner

#include "runner/chip_check.h"

#include "support/temp_tree.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

namespace kinetic::runner {
namespace {

using ::testing::HasSubstr;

class ChipCheckTest : public ::testing::Test {
 protected:
  std::string Said(const std::string& asked) {
    const auto chips = ChipsOf(asked);
    if (!chips) return "not known";
    const auto missing = FindMissingChips(PosixFileSystem(), *chips, dev_.path());
    return missing ? NoteOf(*missing, *chips) : "";
  }

  test::TempTree dev_;
};

TEST_F(ChipCheckTest, NothingIsSaidOfChipsThatAreThere) {
  for (const char* const name : {"accel0", "accel1", "accel2", "accel3", "nvidia0", "nvidiactl"}) {
    dev_.Write(name, "");
  }
  EXPECT_EQ(Said("google.com/tpu=4"), "");
  EXPECT_EQ(Said("nvidia.com/gpu=1"), "");
}

TEST_F(ChipCheckTest, ATpuOfTheNewDriverIsInAFolderOfItsOwn) {
  dev_.Write("vfio/vfio", "");
  EXPECT_THAT(Said("google.com/tpu=1"), HasSubstr("has none"));
  dev_.Write("vfio/0", "");
  dev_.Write("vfio/17", "");
  EXPECT_EQ(Said("google.com/tpu=2"), "");
}

TEST_F(ChipCheckTest, MissingOnesAreCounted) {
  dev_.Write("nvidia0", "");
  dev_.Write("nvidia-uvm", "");
  EXPECT_EQ(Said("nvidia.com/gpu=8"), "the job asked for 8 GPUs, and its container has 1 (" +
                                          (dev_ / "nvidia*").native() +
                                          "): what runs now may use the processor instead");
  EXPECT_EQ(Said("google.com/tpu=4"),
            "the job asked for 4 TPU chips, and its container has none (" +
                (dev_ / "accel*").native() + ", " + (dev_ / "vfio/*").native() +
                "): what runs now may use the processor instead");
}

TEST_F(ChipCheckTest, OfWhatIsNotKnownNothingIsSaid) {
  for (const char* const text : {"", "amd.com/gpu=1", "google.com/tpu=many", "google.com/tpu"}) {
    EXPECT_FALSE(ChipsOf(text)) << text;
  }
}

}  // namespace
}  // namespace kinetic::runner

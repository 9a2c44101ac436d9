#include "job/submit/program.h"

#include "../fake_target.h"
#include "support/temp_tree.h"

#include <gmock/gmock.h>

#include <elf.h>

#include <filesystem>

namespace kinetic::job {
namespace {

using ::testing::HasSubstr;
namespace fs = std::filesystem;

constexpr std::uint64_t kMaxBytes = 1ULL << 32;

class StageProgramTest : public ::testing::Test {
 protected:
  StageProgramTest() { context_->options.cache_dir = tree_ / "cache"; }

  /// Writes a copy of this test program, which needs shared libraries.
  Path CopyProgram(Elf64_Half machine = EM_X86_64) {
    std::string bytes = *ReadFile(PosixFileSystem(), "/proc/self/exe", kMaxBytes);
    Elf64_Ehdr header;
    bytes.copy(reinterpret_cast<char*>(&header), sizeof header);
    header.e_machine = machine;
    bytes.replace(0, sizeof header, reinterpret_cast<const char*>(&header), sizeof header);
    return tree_.Write("build/program", bytes, 0755);
  }

  test::TempTree tree_;
  test::FakeContext context_;
};

TEST_F(StageProgramTest, LinksProgramLoaderAndLibraries) {
  const Path program = CopyProgram();
  const auto folder = StageProgram(*context_, program);
  ASSERT_TRUE(folder) << folder.error();
  EXPECT_EQ(fs::read_symlink(*folder / "program"), program);
  EXPECT_TRUE(fs::exists(*folder / "loader"));
  EXPECT_TRUE(fs::exists(*folder / "lib/libc.so.6"));
  EXPECT_TRUE(fs::exists(*folder / "lib/libstdc++.so.6"));
}

TEST_F(StageProgramTest, UnchangedProgramIsNotReadAgain) {
  const Path program = CopyProgram();
  const auto folder = StageProgram(*context_, program);
  ASSERT_TRUE(folder) << folder.error();
  const auto before = fs::last_write_time(*folder);
  ASSERT_TRUE(StageProgram(*context_, program));
  EXPECT_EQ(fs::last_write_time(*folder), before);
  fs::remove(program);
  CopyProgram();
  fs::remove(*folder / "lib/libc.so.6");
  ASSERT_TRUE(StageProgram(*context_, program));
  EXPECT_TRUE(fs::exists(*folder / "lib/libc.so.6")) << "the program changed";
}

TEST_F(StageProgramTest, StaticProgramHasNoLoader) {
  const Path program = tree_.Write("build/static", "", 0755);
  const Path source = tree_.Write("main.c", "int main(void) { return 0; }\n");
  const std::string compile = "cc -static -o " + program.native() + " " + source.native();
  ASSERT_EQ(std::system(compile.c_str()), 0);
  const auto folder = StageProgram(*context_, program);
  ASSERT_TRUE(folder) << folder.error();
  EXPECT_TRUE(fs::exists(*folder / "program"));
  EXPECT_FALSE(fs::exists(*folder / "loader"));
}

TEST_F(StageProgramTest, MissingInitializationIsReported) {
  JobSpec spec;
  spec.function = FunctionReference{.module = "", .callable = "Train"};
  const Status added = AddProgram(*context_, spec);
  ASSERT_FALSE(added);
  EXPECT_EQ(added.error().code, ErrorCode::kFailedPrecondition);
  EXPECT_EQ(added.error().message,
            "cannot call Train as a job: the program did not call kinetic::InitFunctions");
}

TEST_F(StageProgramTest, RefusesProgramOfAnotherArchitecture) {
  const auto folder = StageProgram(*context_, CopyProgram(EM_AARCH64));
  ASSERT_FALSE(folder);
  EXPECT_EQ(folder.error().code, ErrorCode::kUnimplemented);
  EXPECT_THAT(folder.error().message, HasSubstr("the program is not for x86-64 (ELF machine 183)"));
}

TEST_F(StageProgramTest, RefusesScript) {
  const auto folder = StageProgram(*context_, tree_.Write("run.sh", "#!/bin/sh\n", 0755));
  ASSERT_FALSE(folder);
  EXPECT_THAT(folder.error().message, HasSubstr("not an ELF file"));
}

}  // namespace
}  // namespace kinetic::job

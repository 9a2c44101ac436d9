#include "oci/inspect/elf.h"

#include "base/files/file_system.h"
#include "unit/oci/elf_builder.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <elf.h>

#include <cstring>
#include <string>

namespace kinetic::oci {
namespace {

using testing::ElementsAre;
using testing::HasSubstr;

const ElfSample kSample{.interpreter = "/lib64/ld-linux-x86-64.so.2",
                        .needed = {"libone.so.1", "libtwo.so.2"},
                        .rpath = "/ignored",
                        .runpath = "$ORIGIN/../lib:/opt/lib",
                        .trailer = "symbols that are not loaded"};

ErrorCode CodeOf(std::string_view file) {
  const auto elf = ReadElf(file, "file");
  return elf ? ErrorCode::kInternal : elf.error().code;
}

TEST(Elf, ReadsLoaderFields) {
  const std::string file = BuildElf(kSample);
  const auto elf = ReadElf(file, "file");
  ASSERT_TRUE(elf) << elf.error().message;
  EXPECT_EQ(elf->machine, kMachineAmd64);
  EXPECT_EQ(elf->interpreter, "/lib64/ld-linux-x86-64.so.2");
  EXPECT_THAT(elf->needed, ElementsAre("libone.so.1", "libtwo.so.2"));
  EXPECT_THAT(elf->run_path, ElementsAre("$ORIGIN/../lib", "/opt/lib"));
  EXPECT_EQ(elf->loaded_bytes, file.size() - kSample.trailer.size());
  EXPECT_THAT(ReadElf(BuildElf({.rpath = "/r"}), "file")->run_path, ElementsAre("/r"));
}

TEST(Elf, StripKeepsTheLoadedPart) {
  const std::string file = BuildElf(kSample);
  const auto stripped = StripElf(file, "file");
  ASSERT_TRUE(stripped);
  EXPECT_EQ(stripped->size(), file.size() - kSample.trailer.size());
  Elf64_Ehdr header;
  std::memcpy(&header, stripped->data(), sizeof header);
  EXPECT_EQ(header.e_shoff + header.e_shnum + header.e_shstrndx, 0U);
  EXPECT_EQ(stripped->substr(sizeof header),
            file.substr(sizeof header, stripped->size() - sizeof header));
  EXPECT_EQ(*StripElf(*stripped, "file"), *stripped);
}

TEST(Elf, ReadsThisProgram) {
  const auto file = ReadFile(PosixFileSystem(), "/proc/self/exe", std::uint64_t{1} << 32);
  ASSERT_TRUE(file);
  const auto elf = ReadElf(*file, "this program");
  ASSERT_TRUE(elf) << elf.error().message;
  EXPECT_THAT(elf->interpreter, HasSubstr("ld-"));
  EXPECT_THAT(elf->needed, testing::Contains("libc.so.6"));
  EXPECT_LT(elf->loaded_bytes, file->size());
}

TEST(Elf, RejectsOtherFiles) {
  EXPECT_EQ(CodeOf(""), ErrorCode::kInvalidArgument);
  EXPECT_EQ(CodeOf("#!/bin/sh\n"), ErrorCode::kInvalidArgument);
  EXPECT_EQ(CodeOf("\x7F"
                   "ELF"),
            ErrorCode::kInvalidArgument);
  std::string other = BuildElf(kSample);
  other[EI_CLASS] = ELFCLASS32;
  EXPECT_EQ(CodeOf(other), ErrorCode::kUnimplemented);
  other = BuildElf(kSample);
  other[EI_DATA] = ELFDATA2MSB;
  EXPECT_EQ(CodeOf(other), ErrorCode::kUnimplemented);
  other = BuildElf(kSample);
  other[16] = ET_REL;
  EXPECT_EQ(CodeOf(other), ErrorCode::kInvalidArgument);
}

TEST(Elf, RejectsTruncatedFiles) {
  const std::string whole = BuildElf({.interpreter = "/lib/ld.so", .needed = {"libc.so.6"}});
  for (std::size_t size = EI_NIDENT; size < whole.size(); ++size)
    EXPECT_EQ(CodeOf(std::string_view(whole).substr(0, size)), ErrorCode::kDataLoss) << size;
}

/// No field may lead to reads outside the file.
TEST(Elf, SurvivesCorruption) {
  const std::string whole = BuildElf({.interpreter = "/lib/ld.so", .needed = {"libc.so.6"}});
  for (std::size_t at = 0; at < whole.size(); ++at) {
    for (const char byte : {'\0', '\x01', '\x7F', '\x80', '\xFF'}) {
      // A separate copy, so that sanitizers detect reads past the end.
      std::string file = whole;
      file[at] = byte;
      const auto stripped = StripElf(file, "file");
      EXPECT_LE(stripped ? stripped->size() : 0, file.size());
    }
  }
}

}  // namespace
}  // namespace kinetic::oci

#include "kinetic/job_file.h"

#include "base/files/file_system.h"
#include "support/source_folder.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <cstdlib>

namespace kinetic {
namespace {

Path Folder() { return test::SourceFolder() / "tests/golden/job_file"; }

std::vector<std::string> Cases() {
  std::vector<std::string> names;
  const auto entries = PosixFileSystem().ReadDirectory(Folder());
  EXPECT_TRUE(entries);
  if (!entries) return names;
  for (const auto& entry : *entries) {
    const Path name = entry.name;
    if (name.extension() == ".yaml") names.push_back(name.stem().string());
  }
  std::sort(names.begin(), names.end());
  return names;
}

/// Returns the message without the folder's name.
std::string MessageFor(const std::string& name) {
  const auto text = ReadFile(PosixFileSystem(), Folder() / (name + ".yaml"), 1 << 20);
  EXPECT_TRUE(text);
  JobFileOptions options;
  options.directory = Folder();
  const auto spec = ParseJobFile(text.value_or(""), name + ".yaml", options);
  if (spec) return "no error\n";
  std::string message = spec.error().message + "\n";
  const std::string folder = Folder().string();
  for (std::size_t at = 0; (at = message.find(folder, at)) != std::string::npos;) {
    message.replace(at, folder.size(), "FOLDER");
  }
  return message;
}

class JobFileErrors : public testing::TestWithParam<std::string> {};

TEST_P(JobFileErrors, MatchGolden) {
  const Path expected = Folder() / (GetParam() + ".expected");
  const std::string message = MessageFor(GetParam());
  if (std::getenv("KINETIC_UPDATE_GOLDEN") != nullptr) {
    ASSERT_TRUE(WriteFileAtomically(PosixFileSystem(), expected, message));
  }
  const auto written = ReadFile(PosixFileSystem(), expected, 1 << 20);
  ASSERT_TRUE(written) << written.error().message;
  EXPECT_EQ(message, *written);
}

INSTANTIATE_TEST_SUITE_P(Golden, JobFileErrors, testing::ValuesIn(Cases()),
                         [](const auto& param_info) { return param_info.param; });

}  // namespace
}  // namespace kinetic

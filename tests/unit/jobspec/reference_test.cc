#include "kinetic/accelerator.h"

#include "base/files/file_system.h"
#include "jobspec/schema/shape.h"
#include "support/source_folder.h"

#include <gtest/gtest.h>

#include <cstdlib>

namespace kinetic::jobspec {
namespace {

const Path kReference = test::SourceFolder() / "docs/reference/job-file.md";

void AddRows(const Shape& shape, const std::string& prefix, std::string& rows) {
  for (const auto& key : shape.keys) {
    const std::string name = prefix + std::string(key.name);
    rows += "| `" + name + "`" + (key.reserved ? " (reserved)" : "") + " | " +
            std::string(key.doc) + " | " + std::string(key.shape->expected) + " | " +
            (key.required ? "required" : std::string(key.default_value)) + " | `" +
            std::string(key.example) + "` |\n";
    const bool of_the_users = key.shape->values != nullptr;
    const Shape& nested = of_the_users ? *key.shape->values : *key.shape;
    AddRows(nested, name + (of_the_users ? ".PATH." : "."), rows);
  }
}

std::string KeyTable() {
  std::string rows = "| Key | Meaning | Value | Default | Example |\n|---|---|---|---|---|\n";
  AddRows(JobFileShape(), "", rows);
  return rows;
}

std::string AcceleratorTable() {
  std::string rows = "| Name | Chips | Topology | Machines |\n|---|---|---|---|\n";
  for (const auto& accelerator : Accelerators()) {
    if (accelerator.kind == AcceleratorKind::kCpu) continue;
    rows += "| `" + accelerator.name + "` | " + std::to_string(accelerator.chips) + " | " +
            accelerator.topology + " | " + std::to_string(accelerator.hosts) + " × " +
            accelerator.machine_type + " |\n";
  }
  return rows;
}

/// Returns the text with the content between the markers of a section replaced.
std::string WithSection(std::string text, const std::string& name, const std::string& content) {
  const auto begin = text.find('\n', text.find("<!-- " + name + ":")) + 1;
  const auto end = text.find("<!-- end of " + name + " -->");
  EXPECT_LE(begin, end) << name;
  return text.replace(begin, end - begin, content);
}

TEST(Reference, ListsAllKeysAndAccelerators) {
  const auto written = ReadFile(PosixFileSystem(), kReference, 1 << 20);
  ASSERT_TRUE(written);
  std::string expected = WithSection(*written, "keys", KeyTable());
  expected = WithSection(expected, "accelerators", AcceleratorTable());
  if (std::getenv("KINETIC_UPDATE_GOLDEN") != nullptr) {
    ASSERT_TRUE(WriteFileAtomically(PosixFileSystem(), kReference, expected));
    return;
  }
  EXPECT_EQ(*written, expected) << "run this test with KINETIC_UPDATE_GOLDEN=1";
}

}  // namespace
}  // namespace kinetic::jobspec

#include "oci/inspect/python.h"

#include "kinetic/value.h"

#include "oci/layer/writer.h"
#include "support/temp_tree.h"

#include <gtest/gtest.h>

#include <string>
#include <vector>

namespace kinetic::oci {
namespace {

using kinetic::test::TempTree;

Entry ProgramEntry(const std::string& path) { return Entry::FromBytes(path, "", 0755); }
Entry Data(const std::string& path) { return Entry::FromBytes(path, ""); }

/// A Debian base image with merged /usr.
const std::vector<Entry> kDebian{
    Entry::Symlink("bin", "usr/bin"), Entry::Symlink("lib64", "usr/lib64"),
    Entry::Symlink("usr/lib64/ld-linux-x86-64.so.2", "../lib/x86_64-linux-gnu/ld-linux.so"),
    ProgramEntry("usr/lib/x86_64-linux-gnu/ld-linux.so"), ProgramEntry("usr/bin/env")};

class ImagePythonTest : public testing::Test {
 protected:
  ImagePythonTest() { SetPath("/usr/local/bin:/usr/bin"); }

  void SetPath(const std::string& path) {
    image_.config_json =
        Value(Value::Map{{"config", Value::Map{{"Env", Value::List{"LANG=C", "PATH=" + path}}}}})
            .ToJson();
  }
  Result<ImagePython> Find(const std::vector<std::vector<Entry>>& layers,
                           const std::string& minor = "3.12") {
    std::vector<Path> files;
    for (const auto& entries : layers) {
      std::string bytes;
      const auto take = [&](std::string_view piece) -> Status {
        bytes += piece;
        return {};
      };
      const auto kind = files.size() % 2 == 0 ? ImageCompression::kGzip : ImageCompression::kZstd;
      EXPECT_TRUE(WriteLayer(PosixFileSystem(), entries, kind, take, {}));
      files.push_back(tree_.Write("layer" + std::to_string(files.size()), bytes));
    }
    return FindImagePython(PosixFileSystem(), files, image_, minor, {});
  }
  std::string PathOf(const std::vector<std::vector<Entry>>& layers) {
    const auto found = Find(layers);
    return found ? found->path : found.error().message;
  }
  std::string Refusal(const std::vector<std::vector<Entry>>& layers) {
    const auto found = Find(layers);
    EXPECT_FALSE(found);
    if (found) return {};
    EXPECT_EQ(found.error().code, ErrorCode::kFailedPrecondition);
    EXPECT_FALSE(found.error().hint.empty());
    return found.error().message;
  }

  TempTree tree_;
  RegistryImage image_{.name = "python:3.12-slim",
                       .digest = {},
                       .root_digest = {},
                       .architecture = "amd64",
                       .config = {},
                       .config_json = {},
                       .layers = {}};
};

TEST_F(ImagePythonTest, FollowsLinksAcrossLayers) {
  const auto found = Find({kDebian,
                           {ProgramEntry("usr/local/bin/python3.12"),
                            Entry::Symlink("usr/local/bin/python3", "python3.12")},
                           {Entry::Symlink("usr/local/bin/python", "python3")}});
  ASSERT_TRUE(found) << found.error().message;
  EXPECT_EQ(found->path, "/usr/local/bin/python3.12");
  EXPECT_TRUE(found->has_glibc);

  EXPECT_EQ(PathOf({kDebian,
                    {Entry::Symlink("usr/local/bin/python", "/opt/x/bin/python3.12"),
                     ProgramEntry("opt/x/bin/python3.12")}}),
            "/opt/x/bin/python3.12");
}

TEST_F(ImagePythonTest, SelectsTheRequestedVersion) {
  EXPECT_EQ(
      PathOf({{ProgramEntry("usr/local/bin/python3"), ProgramEntry("usr/local/bin/python3.11"),
               ProgramEntry("usr/bin/python3.12")}}),
      "/usr/bin/python3.12");
  EXPECT_EQ(PathOf({{Entry::Symlink("usr/local/bin/python3", "python3.11"),
                     ProgramEntry("usr/local/bin/python3.11"), ProgramEntry("usr/bin/python3.12"),
                     Entry::Symlink("usr/bin/python", "python3.12")}}),
            "/usr/bin/python3.12");
}

TEST_F(ImagePythonTest, ReadsTheVersionOfTheLibraryFolder) {
  SetPath("/opt/conda/bin");
  EXPECT_EQ(PathOf({{ProgramEntry("opt/conda/bin/python3"), Data("opt/conda/lib/python3.12/os.py"),
                     Data("opt/conda/lib/python3/x")}}),
            "/opt/conda/bin/python3");
  EXPECT_EQ(
      Refusal({{ProgramEntry("opt/conda/bin/python3"), Data("opt/conda/lib/python3.9/os.py")}}),
      "the image python:3.12-slim has Python 3.9, but the job requires 3.12");
  EXPECT_EQ(Refusal({{ProgramEntry("opt/conda/bin/python3"), Data("opt/conda/lib/python3.9/os.py"),
                      Data("opt/conda/lib/python3.12/os.py")}}),
            "cannot find the version of /opt/conda/bin/python3 in the image python:3.12-slim, "
            "but the job requires Python 3.12");
  EXPECT_NE(Refusal({{ProgramEntry("opt/conda/bin/python3")}}).find("cannot find the version"),
            std::string::npos);
}

TEST_F(ImagePythonTest, RejectsOtherVersions) {
  EXPECT_EQ(Refusal({kDebian,
                     {ProgramEntry("usr/local/bin/python3.11"),
                      Entry::Symlink("usr/local/bin/python3", "python3.11")}}),
            "the image python:3.12-slim has Python 3.11, but the job requires 3.12");
  EXPECT_EQ(
      Refusal({{ProgramEntry("usr/bin/python3.1"), Entry::Symlink("usr/bin/python", "python3.1")}}),
      "the image python:3.12-slim has Python 3.1, but the job requires 3.12");
}

TEST_F(ImagePythonTest, ReportsMissingPython) {
  const std::string none = "the image python:3.12-slim has no Python";
  EXPECT_EQ(Refusal({kDebian}), none);
  EXPECT_EQ(Refusal({kDebian, {ProgramEntry("opt/bin/python3.12")}}), none);
  EXPECT_EQ(Refusal({{Data("usr/bin/python3.12")}, {Entry::Folder("usr/local/bin/python3")}}),
            none);
  EXPECT_EQ(Refusal({{ProgramEntry("usr/bin/python3.12")}, {Data("usr/bin/.wh.python3.12")}}),
            none);
  EXPECT_EQ(Refusal({{Entry::Symlink("usr/bin/python3", "python3.12")}}), none);
  SetPath("usr/bin::relative");
  EXPECT_EQ(Refusal({{ProgramEntry("usr/bin/python3.12")}}), none);
}

TEST_F(ImagePythonTest, UsesTheDefaultSearchPath) {
  for (const char* config : {"{}", R"({"config":{"Env":null}})", R"({"config":{"Env":["A=b"]}})"}) {
    image_.config_json = config;
    EXPECT_EQ(PathOf({{ProgramEntry("usr/bin/python3.12")}}), "/usr/bin/python3.12") << config;
  }
}

TEST_F(ImagePythonTest, DetectsGlibc) {
  const Entry python = ProgramEntry("usr/bin/python3.12");
  const auto has_glibc = [&](std::vector<Entry> more) {
    more.push_back(python);
    const auto found = Find({more});
    EXPECT_TRUE(found) << found.error().message;
    return found && found->has_glibc;
  };
  const std::vector<Entry> alpine{
      ProgramEntry("lib/ld-musl-x86_64.so.1"),
      Entry::Symlink("lib/libc.musl-x86_64.so.1", "ld-musl-x86_64.so.1")};
  EXPECT_FALSE(has_glibc({}));
  EXPECT_FALSE(has_glibc(alpine));
  EXPECT_TRUE(has_glibc({ProgramEntry("lib64/ld-linux-x86-64.so.2")}));
  auto with_stand_in = alpine;
  with_stand_in.push_back(ProgramEntry("lib64/ld-linux-x86-64.so.2"));
  EXPECT_FALSE(has_glibc(with_stand_in));
  // musl installed beside glibc.
  EXPECT_TRUE(has_glibc(
      {ProgramEntry("lib64/ld-linux-x86-64.so.2"), ProgramEntry("lib/ld-musl-x86_64.so.1")}));
  image_.architecture = "arm64";
  EXPECT_FALSE(has_glibc({ProgramEntry("lib64/ld-linux-x86-64.so.2")}));
  EXPECT_TRUE(has_glibc({ProgramEntry("lib/ld-linux-aarch64.so.1")}));
}

TEST_F(ImagePythonTest, RejectsInvalidLayers) {
  EXPECT_EQ(FindImagePython(PosixFileSystem(), {tree_.Write("x", "no archive at all")}, image_,
                            "3.12", {})
                .error()
                .code,
            ErrorCode::kDataLoss);
}

}  // namespace
}  // namespace kinetic::oci

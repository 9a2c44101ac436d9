#include "base/concurrency/parallel.h"
#include "env/install/package.h"
#include "env/packages/built_wheels.h"
#include "env/resolve/resolver.h"
#include "environment_harness.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <string>
#include <vector>

namespace kinetic::env {
namespace {

using ::testing::AllOf;
using ::testing::Contains;
using ::testing::ElementsAre;
using ::testing::HasSubstr;
using ::testing::IsEmpty;
using ::testing::Not;
using ::testing::StartsWith;

const std::string kSite = "/lib/python3.12/site-packages/";

std::vector<std::string> Names(const Lock& lock) {
  std::vector<std::string> names;
  for (const auto& package : lock.packages) names.push_back(package.name);
  return names;
}

/// Packages for a pod with Python 3.12, installed on a machine with another Python.
class PodEnvironmentTest : public PrivateIndexTest {
 protected:
  /// Returns requirements that refer to the test's index.
  std::string FromIndex(const std::string& requirements) const {
    return "-i http://ana:${INDEX_PASSWORD}@" + host_ + "/simple\n" + requirements;
  }

  Result<Lock> ResolveFor(const Manifest& manifest) {
    return Resolve(manifest, tools_, &lines_, {});
  }

  Status Install(const Manifest& manifest, const Lock& lock, const LockedPackage& package,
                 const std::string& folder, std::stop_token stop = {}) {
    auto installer = FindPackageInstaller(tools_, manifest.private_urls, "", &lines_, stop);
    if (!installer) return Failure(installer.error());
    if (!compiles_) installer->compiler.reset();
    return InstallPackage(*installer, lock, package, {tree_ / folder, kPrefix}, &lines_, stop);
  }

  /// Resolves one requirement without dependencies, and installs it.
  void ResolveAndInstall(const std::string& requirements, const std::string& folder) {
    const Manifest manifest = ReadForPod(requirements);
    const auto lock = ResolveFor(manifest);
    ASSERT_TRUE(lock) << lock.error().message << "\n" << lock.error().hint;
    ASSERT_EQ(lock->packages.size(), 1U);
    const auto installed = Install(manifest, *lock, lock->packages[0], folder);
    ASSERT_TRUE(installed) << installed.error().message << "\n" << installed.error().hint;
  }

  /// Returns the error of installing a package of the test's index with a wrong hash.
  Error InstallError(const std::string& package) {
    const Manifest manifest = ReadForPod(FromIndex("kinetic-full\n"));
    auto lock = ResolveFor(manifest);
    if (!lock) return lock.error();
    lock->packages = {{package, "1.0", "", {"sha256:" + std::string(64, '0')}}};
    const auto installed = Install(manifest, *lock, lock->packages[0], "failed");
    EXPECT_FALSE(installed);
    return installed ? Error() : installed.error();
  }

  /// Evaluates an expression with the Python that compiled, with a package in its path.
  std::string Evaluate(const std::string& folder, const std::string& expression) {
    const auto python = FindAnyPython(tools_, {});
    EXPECT_TRUE(python);
    const std::string site = (tree_ / (folder + kSite)).native();
    return Output({python->path.native(), "-B", "-I", "-c",
                   "import sys; sys.path.insert(0, '" + site + "'); import kinetic_full; print(" +
                       expression + ")"})
        .value_or("failed");
  }

  void ExpectSame(const std::string& one, const std::string& other) {
    EXPECT_EQ(Output({"diff", "-r", (tree_ / one).native(), (tree_ / other).native()}), "");
    const auto modes = [&](const std::string& folder) {
      return Output({"find", (tree_ / folder).native(), "-printf", "%P %M\n"});
    };
    auto sorted = [](std::string text) {
      std::sort(text.begin(), text.end());
      return text;
    };
    EXPECT_EQ(sorted(modes(one).value_or("")), sorted(modes(other).value_or("x")));
  }

  bool compiles_ = false;  ///< with this machine's Python
};

TEST_F(PodEnvironmentTest, InstallsCompiledPackage) {
  ASSERT_NO_FATAL_FAILURE(ResolveAndInstall("numpy==2.1.3\n", "installed"));
  EXPECT_TRUE(PosixFileSystem().Lstat(
      tree_ /
      ("installed" + kSite + "numpy/_core/_multiarray_umath.cpython-312-x86_64-linux-gnu.so")));
  EXPECT_THAT(tree_.Read("installed/bin/f2py"),
              StartsWith("#!/opt/kinetic/environment/bin/python\nimport sys\nfrom numpy.f2py"));
}

TEST_F(PodEnvironmentTest, InstallsAllPartsOfAWheel) {
  ASSERT_NO_FATAL_FAILURE(ResolveAndInstall(FromIndex("kinetic-full\n"), "installed"));
  const auto read = [&](const std::string& name) { return tree_.Read("installed/" + name); };
  const std::string line = "#!/opt/kinetic/environment/bin/python";
  EXPECT_EQ(read("share/full/data.txt"), "data");
  EXPECT_EQ(read("etc/full.conf"), "conf");
  EXPECT_EQ(read("lib/libfull.so"), "library");
  EXPECT_EQ(read("include/site/python3.12/kinetic-full/full.h"), "header");
  EXPECT_EQ(read("lib/python3.12/site-packages/share/in_site.txt"), "in site-packages");
  EXPECT_EQ(read("bin/full-script"), line + "\nimport kinetic_full\nkinetic_full.main()\n");
  EXPECT_THAT(read("bin/full-options"), StartsWith(line + "\n"));
  EXPECT_EQ(read("bin/full-shell"), "#!/bin/sh\necho shell\n");
  EXPECT_EQ(read("bin/full-env"), "#!/usr/bin/env python3\n");
  EXPECT_THAT(*Output({"ls", (tree_ / "installed/bin").native()}),
              "full\nfull-binary\nfull-env\nfull-extra\nfull-options\nfull-script\nfull-shell\n"
              "full-window\n");
  EXPECT_THAT(*Output({"find", (tree_ / "installed").native(), "-name", "__pycache__", "-o",
                       "-name", "INSTALLER", "-o", "-name", ".lock", "-o", "-name", "REQUESTED"}),
              IsEmpty());
}

TEST_F(PodEnvironmentTest, CompilesModulesReproducibly) {
  compiles_ = true;
  for (const std::string folder : {"one", "other"})
    ResolveAndInstall(FromIndex("kinetic-full\n"), folder);
  ExpectSame("one", "other");
  EXPECT_TRUE(Works({"grep", "-rq", std::string(kPrefix) + kSite + "kinetic_full/__init__.py",
                     (tree_ / "one").native(), "--include=*.pyc"}));
  tree_.Write("one" + kSite + "kinetic_full/__init__.py", "main = 'read again'\n");
  EXPECT_EQ(Evaluate("one", "callable(kinetic_full.main)"), "True\n");
  // Files that this Python cannot compile stay as they are.
  EXPECT_TRUE(PosixFileSystem().Lstat(tree_ / ("one" + kSite + "kinetic_full/template.py")));
  EXPECT_EQ(*Output({"find", (tree_ / "one").native(), "-name", "template*.pyc"}), "");
}

TEST_F(PodEnvironmentTest, SelectsBestCompatibleWheel) {
  ASSERT_NO_FATAL_FAILURE(ResolveAndInstall(FromIndex("kinetic-compiled\n"), "installed"));
  EXPECT_EQ(tree_.Read("installed" + kSite + "kinetic_compiled.py"),
            "tag = 'cp312-cp312-manylinux_2_31_x86_64'\n");
}

TEST_F(PodEnvironmentTest, InstallsPackageBuiltFromFolder) {
  const Path folder = tree_ / "project/own";
  const Path support = Path(KINETIC_PRIVATE_INDEX).parent_path().parent_path() / "support";
  ASSERT_TRUE(
      Works({python_.path.native(), "-c",
             "import pathlib, sys; sys.path.insert(0, sys.argv[1]); import python_packages; "
             "folder = pathlib.Path(sys.argv[2]); folder.mkdir(parents=True); "
             "[(folder / name).write_text(text) for name, text in "
             "python_packages.project('own').items()]",
             support.native(), folder.native()}));
  Manifest manifest = ReadForPod("own @ file://" + folder.native() + "\n");
  const auto lock = ResolveFor(manifest);
  ASSERT_TRUE(lock) << lock.error().message << "\n" << lock.error().hint;
  ASSERT_EQ(lock->packages.size(), 1U);
  EXPECT_EQ(lock->packages[0].wheel, "own-1.5-py3-none-any.whl");
  AddWheelUrls(*lock, tools_, manifest.private_urls);
  const auto installed = Install(manifest, *lock, lock->packages[0], "installed");
  ASSERT_TRUE(installed) << installed.error().message << "\n" << installed.error().hint;
  EXPECT_EQ(tree_.Read("installed" + kSite + "own.py"), "");
}

TEST_F(PodEnvironmentTest, EvaluatesMarkersForThePod) {
  const auto lock = ResolveFor(ReadForPod(FromIndex("kinetic-marked\n")));
  ASSERT_TRUE(lock) << lock.error().message << "\n" << lock.error().hint;
  EXPECT_THAT(Names(*lock), ElementsAre("kinetic-exact", "kinetic-marked", "kinetic-new"));
  EXPECT_EQ(lock->python, "3.12");
  EXPECT_THAT(ToJson(*lock), Not(HasSubstr("s3cret")));
}

TEST_F(PodEnvironmentTest, ReportsUnavailablePackages) {
  for (const char* const package : {"kinetic-source", "kinetic-foreign"}) {
    const auto lock = ResolveFor(ReadForPod(FromIndex(std::string(package) + "\n")));
    ASSERT_FALSE(lock);
    EXPECT_EQ(lock.error().code, ErrorCode::kFailedPrecondition);
    EXPECT_THAT(lock.error().hint,
                AllOf(HasSubstr(package), HasSubstr("Python 3.12 on linux-x86_64"),
                      HasSubstr("image: registry/name:tag")));
  }
  const Error none = InstallError("kinetic-source");
  EXPECT_EQ(none.code, ErrorCode::kFailedPrecondition);
  EXPECT_THAT(none.message, StartsWith("installing kinetic-source 1.0 for a pod failed"));
  EXPECT_THAT(none.hint, HasSubstr("kinetic-source has no wheel for"));

  const Error other = InstallError("kinetic-full");
  EXPECT_EQ(other.code, ErrorCode::kFailedPrecondition);
  EXPECT_THAT(other.message, HasSubstr("Hash mismatch")) << other.message;
  EXPECT_THAT(lines_.all + other.message + other.hint, Not(HasSubstr("s3cret")));

  const auto unreachable = ResolveFor(ReadForPod("-i http://127.0.0.1:9/simple\nsix==1.16.0\n"));
  ASSERT_FALSE(unreachable);
  EXPECT_EQ(unreachable.error().code, ErrorCode::kUnavailable) << unreachable.error().message;
}

TEST_F(PodEnvironmentTest, PasswordDoesNotLeak) {
  const std::string folder = "private";
  ASSERT_NO_FATAL_FAILURE(ResolveAndInstall(FromIndex("kinetic-private-sample\n"), folder));
  EXPECT_THAT(tree_.Read(folder + "/bin/private-sample"),
              StartsWith("#!/opt/kinetic/environment/bin/python\n"));
  ResolveAndInstall("kinetic-private-sample @ http://ana:${INDEX_PASSWORD}@" + host_ +
                        "/files/kinetic_private_sample-1.0-py3-none-any.whl\n",
                    folder + "-by-url");
  ExpectSame(folder, folder + "-by-url");
  EXPECT_THAT(lines_.all, Not(HasSubstr("s3cret")));
  EXPECT_TRUE(Works({"/bin/sh", "-c",
                     "! grep -rl s3cret '" + (tree_ / folder).native() + "' '" +
                         (tree_ / (folder + "-by-url")).native() + "' '" +
                         (tree_ / "cache").native() + "'"}));
  EXPECT_THAT(Logs(), IsEmpty());
}

TEST_F(PodEnvironmentTest, InstallsInParallel) {
  const Manifest manifest = ReadForPod(
      FromIndex("kinetic-full\nkinetic-marked\nkinetic-private-sample\nkinetic-compiled\n"));
  const auto lock = ResolveFor(manifest);
  ASSERT_TRUE(lock) << lock.error().message;
  const auto installer = FindPackageInstaller(tools_, manifest.private_urls, "none", &lines_, {});
  ASSERT_TRUE(installer) << installer.error().message;
  const auto installed =
      ParallelFor(4, lock->packages.size(), {}, [&](std::size_t i, const std::stop_token& stop) {
        const LockedPackage& package = lock->packages[i];
        return InstallPackage(*installer, *lock, package, {tree_ / package.name, kPrefix}, &lines_,
                              stop);
      });
  ASSERT_TRUE(installed) << installed.error().message;
  EXPECT_EQ(lock->packages.size(), 6U);
  for (const auto& package : lock->packages) {
    EXPECT_TRUE(PosixFileSystem().Lstat(tree_ / (package.name + kSite))) << package.name;
    EXPECT_FALSE(PosixFileSystem().Lstat(tree_ / (package.name + "/.installing")));
  }
}

TEST_F(PodEnvironmentTest, AddsPackagesOfAccelerator) {
  const auto lock = ResolveFor(ReadForPod("jax\n", "tpu"));
  ASSERT_TRUE(lock) << lock.error().message;
  EXPECT_THAT(Names(*lock), AllOf(Contains("libtpu"), Contains("jaxlib")));
}

TEST_F(PodEnvironmentTest, StopRequestEndsInstaller) {
  const Manifest manifest = ReadForPod(FromIndex("kinetic-full\n"));
  const auto lock = ResolveFor(manifest);
  ASSERT_TRUE(lock) << lock.error().message;
  const auto installer = FindPackageInstaller(tools_, manifest.private_urls, "none", nullptr, {});
  ASSERT_TRUE(installer);
  std::stop_source stop;
  Stopper stopper(stop);
  const auto installed = InstallPackage(*installer, *lock, lock->packages[0],
                                        {tree_ / "stopped", kPrefix}, &stopper, stop.get_token());
  ASSERT_FALSE(installed);
  EXPECT_EQ(installed.error().code, ErrorCode::kCancelled) << installed.error().message;
  EXPECT_THAT(Logs(), IsEmpty());
}

}  // namespace
}  // namespace kinetic::env

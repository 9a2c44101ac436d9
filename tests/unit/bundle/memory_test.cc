#include "store/open.h"
#include "unit/bundle/fixture.h"

#include <gtest/gtest.h>

#include <sys/resource.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

#include <filesystem>
#include <fstream>
#include <functional>
#include <string>

namespace kinetic::bundle {
namespace {

using test::RandomBytes;
using test::TempTree;

#if defined(__SANITIZE_ADDRESS__) || defined(__SANITIZE_THREAD__)
constexpr bool kMeasurable = false;  // sanitizers keep freed memory
#else
constexpr bool kMeasurable = true;
#endif

/// Runs `work` in a child process. Returns its peak memory in MiB, or -1 on failure.
long PeakMemory(const std::function<bool()>& work) {
  int pipe[2];
  if (::pipe(pipe) != 0) return -1;
  const pid_t child = ::fork();
  if (child == 0) {
    const bool done = work();
    struct rusage usage{};
    ::getrusage(RUSAGE_SELF, &usage);
    const long peak = done ? usage.ru_maxrss >> 10 : -1;
    (void)!::write(pipe[1], &peak, sizeof peak);
    ::_exit(0);
  }
  ::close(pipe[1]);
  long peak = -1;
  if (::read(pipe[0], &peak, sizeof peak) != sizeof peak) peak = -1;
  ::close(pipe[0]);
  ::waitpid(child, nullptr, 0);
  return peak;
}

/// Writes 448 MiB of holes, random bytes and text.
void WriteLargeFiles(const TempTree& tree) {
  constexpr std::size_t kPieceBytes = 48 << 20;
  for (std::uint64_t i = 0; i < 3; ++i) {
    tree.Write("noise" + std::to_string(i), RandomBytes(kPieceBytes, i));
  }
  tree.Write("mixed", RandomBytes(kPieceBytes / 2, 8) + test::CompressibleText(kPieceBytes / 2, 9));
  for (const char* name : {"holes1", "holes2"}) {
    tree.Write(name, "not all holes");
    std::filesystem::resize_file(tree / name, 128U << 20);
  }
}

TEST(BundleMemory, IsBoundedForLargeFiles) {
  const TempTree source;
  const TempTree out;
  // Use a child process: a fork starts with the memory of its parent.
  const auto prepare = [&] {
    WriteLargeFiles(source);
    return true;
  };
  ASSERT_GT(PeakMemory(prepare), 0);
  const Path store_folder = out / "store";
  const auto write = [&] {
    auto& fs = PosixFileSystem();
    auto store = store::Open(store_folder.native(), {fs, SystemClock()}, {});
    if (!store) return false;
    auto tree = test::ListFolder(source.path());
    auto cache = StatCache::Load(fs, out / "cache", SystemClock().Now());
    ContentLease lease(**store, ReferencesOf);
    const auto report = WriteBundle(**store, lease, {fs, tree, *cache}, {.threads = 2}, {});
    if (!report) return false;
    std::ofstream(out / "digest") << report->tree.Hex();
    return true;
  };
  const long writing = PeakMemory(write);
  ASSERT_GT(writing, 0);
  const auto unpack = [&] {
    auto& fs = PosixFileSystem();
    auto store = store::Open(store_folder.native(), {fs, SystemClock()}, {});
    const auto tree = Digest::FromHex(out.Read("digest"));
    if (!store || !tree) return false;
    return Unpack(**store, {fs, out / "unpacked"}, *tree, {.threads = 2}, {}).has_value();
  };
  const long unpacking = PeakMemory(unpack);
  ASSERT_GT(unpacking, 0);
  struct stat holes{};
  ASSERT_EQ(::stat((out / "unpacked/holes1").c_str(), &holes), 0);
  EXPECT_LT(holes.st_blocks * 512, 32 << 20);
  RecordProperty("writing_mib", static_cast<int>(writing));
  RecordProperty("unpacking_mib", static_cast<int>(unpacking));
  if (kMeasurable) {
    EXPECT_LE(writing, 72);
    EXPECT_LE(unpacking, 72);
  }
}

}  // namespace
}  // namespace kinetic::bundle

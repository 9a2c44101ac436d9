#include "base/files/file_system.h"
#include "bundle/format/pack.h"
#include "bundle/read/unpacker.h"
#include "bundle/source/root.h"
#include "bundle/source/walk.h"
#include "bundle/write/bundle_writer.h"
#include "bundle/write/frame_builder.h"
#include "bundle/write/stat_cache.h"
#include "store/open.h"

#include <fmt/core.h>

#include <chrono>
#include <ctime>
#include <span>
#include <string>
#include <string_view>

/// Operations without a command, for speed.py to measure.
///
///     bundle_tool identify FOLDER CACHE       walks a folder and names its bundle
///     bundle_tool unpack STORE TREE FOLDER    unpacks a bundle, as a runner does
///     bundle_tool parts FOLDER FILE           stores a folder's content in FILE and prints the
///                                             time of each step as JSON
namespace kinetic::bundle {
namespace {

constexpr std::uint64_t kMaxFileBytes = 1ULL << 30;

/// Seconds of one clock, added up over several intervals.
class Watch {
 public:
  explicit Watch(clockid_t clock) : clock_(clock) {}

  template <typename Work>
  auto Add(const Work& work) {
    const double begin = Now();
    auto result = work();
    seconds_ += Now() - begin;
    return result;
  }
  double seconds() const { return seconds_; }

 private:
  double Now() const {
    timespec time{};
    (void)::clock_gettime(clock_, &time);
    return static_cast<double>(time.tv_sec) + static_cast<double>(time.tv_nsec) / 1e9;
  }

  clockid_t clock_;
  double seconds_ = 0;
};

Result<SourceTree> WalkAll(FileSystem& fs, const Path& folder) {
  auto root = FindRoot(fs, folder, folder, {});
  if (!root) return Failure(std::move(root).error());
  return Walk(fs, *root, {.threads = 0}, {});
}

Status ComputeTreeDigest(const Path& folder, const Path& cache_file) {
  FileSystem& fs = PosixFileSystem();
  auto cache = StatCache::Load(fs, cache_file, SystemClock().Now());
  if (!cache) return Failure(std::move(cache).error());
  auto tree = WalkAll(fs, folder);
  if (!tree) return Failure(tree.error());
  const auto digest = bundle::ComputeTreeDigest({fs, *tree, *cache}, {}, {});
  if (!digest) return Failure(digest.error());
  fmt::print("{}\n", digest->Hex());
  return cache->Save(fs);
}

Status UnpackTo(const std::string& store_url, const std::string& hex, const Path& folder) {
  FileSystem& fs = PosixFileSystem();
  const auto tree = Digest::FromHex(hex);
  if (!tree) return Fail(ErrorCode::kInvalidArgument, hex + " is no digest");
  const auto store = store::Open(store_url, {fs, SystemClock()}, {});
  if (!store) return Failure(store.error());
  const auto report = Unpack(**store, {fs, folder}, *tree, {}, {});
  if (!report) return Failure(report.error());
  return {};
}

/// Reads, hashes, compresses and writes sequentially on one thread.
class Parts {
 public:
  Status Run(const Path& folder, const Path& file) {
    const auto tree = WalkAll(fs_, folder);
    if (!tree) return Failure(tree.error());
    for (const SourceEntry& entry : tree->entries) {
      if (entry.type != BundleEntry::Type::kFile) continue;
      const auto content =
          read_.Add([&] { return ReadFile(fs_, folder / entry.path, kMaxFileBytes); });
      if (!content) return Failure(content.error());
      (void)hash_.Add([&] { return Sha256::Of(*content); });
      open_ += *content;
      if (open_.size() >= kFrameBytes) Compress();
    }
    Compress();
    (void)hash_.Add([&] { return Sha256::Of(stored_); });
    auto written = disk_.Add([&] { return WriteFileAtomically(fs_, file, stored_); });
    if (!written) return written;
    fmt::print(R"({{"read": {:.6f}, "hash": {:.6f}, "compression": {:.6f}, "disk": {:.6f}, )"
               R"("stored_bytes": {}}})"
               "\n",
               read_.seconds(), hash_.seconds(), compress_.seconds(), disk_.seconds(),
               stored_.size());
    return {};
  }

 private:
  void Compress() {
    stored_ += compress_.Add([&] { return compressor_.Compress(open_); });
    open_.clear();
  }

  FileSystem& fs_ = PosixFileSystem();
  Compressor compressor_{WriteOptions().compression_level};
  std::string open_;
  std::string stored_;
  Watch read_{CLOCK_THREAD_CPUTIME_ID};
  Watch hash_{CLOCK_THREAD_CPUTIME_ID};
  Watch compress_{CLOCK_THREAD_CPUTIME_ID};
  Watch disk_{CLOCK_MONOTONIC};
};

Status Run(std::span<char*> arguments) {
  const std::string_view what = arguments.empty() ? "" : arguments[0];
  if (what == "identify" && arguments.size() == 3)
    return ComputeTreeDigest(arguments[1], arguments[2]);
  if (what == "parts" && arguments.size() == 3) return Parts().Run(arguments[1], arguments[2]);
  if (what == "unpack" && arguments.size() == 4) {
    return UnpackTo(arguments[1], arguments[2], arguments[3]);
  }
  return Fail(ErrorCode::kInvalidArgument,
              "usage: bundle_tool identify FOLDER CACHE | unpack STORE TREE FOLDER | parts FOLDER "
              "FILE");
}

}  // namespace
}  // namespace kinetic::bundle

int main(int argc, char** argv) {
  const auto done =
      kinetic::bundle::Run(std::span(argv, static_cast<std::size_t>(argc)).subspan(1));
  if (done) return 0;
  fmt::print(stderr, "bundle_tool: {}\n", done.error().message);
  return 1;
}

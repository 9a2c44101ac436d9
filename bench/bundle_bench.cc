#include "bundle/lease.h"
#include "bundle/source_tree.h"
#include "bundle/stat_cache.h"
#include "bundle/tree_code.h"
#include "bundle/unpack.h"
#include "bundle/write.h"
#include "store/open.h"

#include <fmt/format.h>

#include <sys/resource.h>

#include <algorithm>
#include <chrono>
#include <cstdio>
#include <cstdlib>
#include <filesystem>
#include <functional>
#include <memory>
#include <optional>
#include <string>

/// Writes and unpacks bundles beside tar and zstd on the same folders, and prints times and ratios.
///
///     bundle_bench FOLDER [FILES BYTES [LEVEL]]
///
/// FOLDER is made and removed; it should lie on the disk whose speed counts.
namespace kinetic {
namespace {

namespace fs = std::filesystem;
using bundle::SourceTree;

std::string Words(std::size_t count, std::uint64_t seed) {
  static constexpr const char* kWords[] = {
      "def ",    "return ", "self.",       "for ",      " in range(", "import ", "numpy",
      "weights", "loss",    " = ",         "0.5",       "(",          ")",       ":\n    ",
      "\n",      "train",   "batch_size",  "optimizer", ", ",         "shape",   "None",
      "layer",   "True",    "if ",         "model",     "axis=",      "keras.",  "[",
      "]",       "step",    "# the next ", "value"};
  std::string text;
  std::uint64_t state = seed * 2862933555777941757ULL + 3037000493ULL;
  while (text.size() < count) {
    state = state * 6364136223846793005ULL + 1442695040888963407ULL;
    text += kWords[state >> 59];
    if ((state >> 40) % 4 == 0) text += std::to_string((state >> 33) % 9973);
  }
  text.resize(count);
  return text;
}

void MakeTree(const Path& root, int files, std::size_t bytes) {
  for (int i = 0; i < files; ++i) {
    const Path folder = root / fmt::format("package{}", i % 97);
    fs::create_directories(folder);
    const std::string text = Words(bytes / 2 + static_cast<std::size_t>(i) * 7919 % bytes,
                                   static_cast<std::uint64_t>(i));
    std::FILE* file = std::fopen((folder / fmt::format("module{}.py", i)).c_str(), "w");
    std::fwrite(text.data(), 1, text.size(), file);
    std::fclose(file);
  }
}

SourceTree SourceOf(const Path& root) {
  SourceTree tree;
  tree.root = root;
  for (const auto& item : fs::recursive_directory_iterator(root)) {
    if (!item.is_regular_file()) continue;
    bundle::SourceEntry entry;
    entry.path = item.path().native().substr(root.native().size() + 1);
    entry.status = *PosixFileSystem().Lstat(item.path());
    tree.entries.push_back(std::move(entry));
  }
  std::sort(tree.entries.begin(), tree.entries.end(),
            [](const auto& a, const auto& b) { return a.path < b.path; });
  return tree;
}

/// Processor seconds of this process and of its children.
double ProcessorSeconds() {
  double seconds = 0;
  for (const int who : {RUSAGE_SELF, RUSAGE_CHILDREN}) {
    struct rusage usage{};
    getrusage(who, &usage);
    for (const auto& time : {usage.ru_utime, usage.ru_stime}) {
      seconds += static_cast<double>(time.tv_sec) + static_cast<double>(time.tv_usec) / 1e6;
    }
  }
  return seconds;
}

struct Cost {
  double wall = 1e9;
  double processor = 1e9;
};

Cost Best(int rounds, const std::function<void()>& prepare, const std::function<void()>& work) {
  Cost best;
  for (int i = 0; i < rounds; ++i) {
    prepare();
    const double processor = ProcessorSeconds();
    const auto begin = std::chrono::steady_clock::now();
    work();
    const std::chrono::duration<double> wall = std::chrono::steady_clock::now() - begin;
    best.wall = std::min(best.wall, wall.count());
    best.processor = std::min(best.processor, ProcessorSeconds() - processor);
  }
  return best;
}

void Shell(const std::string& command) {
  if (std::system(command.c_str()) != 0) {
    fmt::print(stderr, "failed: {}\n", command);
    std::exit(1);
  }
}

template <typename T>
T Must(Result<T> result) {
  if (!result) {
    fmt::print(stderr, "failed: {}\n", result.error().message);
    std::exit(1);
  }
  return *std::move(result);
}

class Bench {
 public:
  Bench(Path folder, int level) : folder_(std::move(folder)) {
    options_.compression_level = level;
    fs::create_directories(folder_);
  }
  ~Bench() { fs::remove_all(folder_); }
  Bench(const Bench&) = delete;
  Bench& operator=(const Bench&) = delete;

  void Run(const std::string& name, int files, std::size_t bytes) {
    const Path source = folder_ / "source";
    fs::remove_all(source);
    MakeTree(source, files, bytes);
    const std::string tar = fmt::format("tar c -C {} .", source.native());
    const std::string archive = (folder_ / "rival.tar.zst").native();
    const auto nothing = [] {};
    const Cost packing =
        Best(3, nothing, [&] { Shell(tar + " | zstd -q -f -3 -T2 -o " + archive); });
    const SourceTree tree = SourceOf(source);
    bundle::WriteReport report;
    const Cost cold = Best(3, [&] { Fresh(); }, [&] { report = Write(tree); });
    fmt::print("{}: {} files, {} MB, stored {} MB in {} objects (rival {} MB)\n", name, files,
               report.bytes_read >> 20, report.bytes_stored >> 20, report.objects_stored,
               fs::file_size(archive) >> 20);
    Print("write, cold", cold, packing);
    const Cost identify =
        Best(3, nothing, [&] { Must(bundle::Identify({fs_, tree, *cache_}, options_, {})); });
    Print("write, unchanged", Best(3, nothing, [&] { Write(tree); }), identify);
    Edit(source);
    Unpacks(report.tree, archive);
  }

 private:
  void Fresh() {
    fs::remove_all(folder_ / "store");
    store_ = Must(store::Open((folder_ / "store").native(), fs_, SystemClock(), {}));
    cache_.emplace(Must(bundle::StatCache::Load(fs_, folder_ / "cache", SystemClock().Now())));
  }

  bundle::WriteReport Write(const SourceTree& tree) {
    bundle::ContentLease lease(*store_, bundle::ReferencesOf);
    return Must(bundle::WriteBundle(*store_, lease, {fs_, tree, *cache_}, options_, {}));
  }

  void Edit(const Path& source) {
    const Path file = source / "package3/module3.py";
    std::FILE* out = std::fopen(file.c_str(), "a");
    std::fputs("# edited\n", out);
    std::fclose(out);
    const SourceTree tree = SourceOf(source);
    bundle::WriteReport report;
    const Cost cost = Best(1, [] {}, [&] { report = Write(tree); });
    fmt::print("  {:<18} {:7.1f} ms   {} object of {} bytes\n", "write, one edit", cost.wall * 1e3,
               report.objects_stored, report.bytes_stored);
  }

  void Unpacks(const Digest& tree, const std::string& archive) {
    const Path out = folder_ / "out";
    const auto clear = [&] { fs::remove_all(out); };
    const Cost rival = Best(3, clear, [&] {
      Shell(fmt::format("mkdir {0} && zstd -q -dc {1} | tar x -C {0}", out.native(), archive));
    });
    const Cost ours =
        Best(3, clear, [&] { Must(bundle::Unpack(*store_, {fs_, out}, tree, {}, {})); });
    clear();
    Print("unpack", ours, rival);
  }

  static void Print(const char* what, const Cost& ours, const Cost& rival) {
    fmt::print("  {:<18} {:7.1f} ms   rival {:7.1f} ms   {:5.2f}x as fast; processor {:5.2f}x\n",
               what, ours.wall * 1e3, rival.wall * 1e3, rival.wall / ours.wall,
               rival.processor / ours.processor);
  }

  FileSystem& fs_ = PosixFileSystem();
  const Path folder_;
  bundle::WriteOptions options_;
  std::unique_ptr<store::Store> store_;
  std::optional<bundle::StatCache> cache_;
};

}  // namespace
}  // namespace kinetic

int main(int argc, char** argv) {
  if (argc < 2) {
    fmt::print(stderr, "usage: bundle_bench FOLDER [FILES BYTES [LEVEL]]\n");
    return 2;
  }
  const kinetic::bundle::WriteOptions defaults;
  const int level = argc > 4 ? std::atoi(argv[4]) : defaults.compression_level;
  {
    kinetic::Bench bench(argv[1], level);
    if (argc > 3) {
      bench.Run("given", std::atoi(argv[2]), static_cast<std::size_t>(std::atol(argv[3])));
    } else {
      bench.Run("text", 2'000, 50'000);
      bench.Run("many", 50'000, 2'000);
    }
  }
  struct rusage usage{};
  getrusage(RUSAGE_SELF, &usage);
  fmt::print("peak memory {} MB\n", usage.ru_maxrss >> 10);
  return 0;
}

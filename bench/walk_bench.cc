#include "base/parallel.h"
#include "base/subprocess.h"
#include "bundle/root.h"
#include "bundle/stat_cache.h"
#include "bundle/walk.h"
#include "bundle/write.h"

#include <fmt/core.h>

#include <sys/resource.h>

#include <algorithm>
#include <chrono>
#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <functional>
#include <string>
#include <vector>

// How long it takes to find that nothing has changed, against `git status` in the same folder.
//
//   walk_bench FOLDER [FILES]     makes FOLDER with FILES (50,000) files when it is not there

namespace kinetic::bundle {
namespace {

constexpr int kRounds = 7;

void RunGit(const Path& folder, const std::string& command) {
  const Subprocess git{
      .argv = {"/bin/sh", "-c", command},
      .environment = {{"PATH", "/usr/local/bin:/usr/bin:/bin"}, {"HOME", folder.native()}},
      .working_directory = folder,
      .search_path = {},
      .on_stdout = {},
      .on_stderr = {}};
  const auto exit = Run(git, {});
  if (!exit || !exit->Succeeded()) {
    fmt::print(stderr, "failed: {}\n", command);
    std::exit(1);
  }
}

/// A repository like a monorepo: 25 files in a folder, four levels deep, 3 % ignored.
void MakeTree(const Path& folder, int files) {
  for (int i = 0; i < files; ++i) {
    const Path path = folder / fmt::format("area{}", i / 5000) /
                      fmt::format("team{}", i / 500 % 10) / fmt::format("project{}", i / 25 % 20);
    std::filesystem::create_directories(path);
    const char* extension = i % 33 == 0 ? "log" : "py";
    std::ofstream(path / fmt::format("module_{}.{}", i % 25, extension)) << "print(" << i << ")\n";
  }
  std::ofstream(folder / ".gitignore") << "*.log\nbuild/\ndist/\n*.py[co]\n/data/\n.env\n";
  RunGit(folder, "git init -q . && git add . && git -c user.name=b -c user.email=b@b commit -qm b");
}

/// Milliseconds of processor time, of this process and of what it ran.
double ProcessorMilliseconds() {
  double sum = 0;
  for (const auto who : {RUSAGE_SELF, RUSAGE_CHILDREN}) {
    struct rusage usage{};
    (void)::getrusage(who, &usage);
    for (const auto& time : {usage.ru_utime, usage.ru_stime}) {
      sum += static_cast<double>(time.tv_sec) * 1e3 + static_cast<double>(time.tv_usec) / 1e3;
    }
  }
  return sum;
}

/// The best of several rounds; on a busy machine the processor's time says more than the clock's.
struct Cost {
  double wall = 1e9;
  double processor = 1e9;
};

Cost Measure(const std::function<void()>& work) {
  Cost best;
  for (int i = 0; i < kRounds; ++i) {
    const double used = ProcessorMilliseconds();
    const auto begin = std::chrono::steady_clock::now();
    work();
    const std::chrono::duration<double, std::milli> took = std::chrono::steady_clock::now() - begin;
    best.wall = std::min(best.wall, took.count());
    best.processor = std::min(best.processor, ProcessorMilliseconds() - used);
  }
  return best;
}

void Print(const std::string& what, const Cost& cost, const Cost& git) {
  fmt::print("{:28} {:7.1f} ms ({:.2f} of git status)  {:7.1f} ms of processor ({:.2f})\n", what,
             cost.wall, cost.wall / git.wall, cost.processor, cost.processor / git.processor);
}

template <typename T>
T Must(Result<T> result) {
  if (result) return *std::move(result);
  fmt::print(stderr, "{}\n", result.error().message);
  std::exit(1);
}

/// All that happens for an unchanged tree until its name is known.
void IdentifyUnchanged(const Path& folder, const Path& cache_file, std::size_t threads) {
  FileSystem& fs = PosixFileSystem();
  StatCache cache = Must(StatCache::Load(fs, cache_file, SystemClock().Now()));
  const Root root = Must(FindRoot(fs, folder, std::nullopt, {}));
  const SourceTree tree = Must(Walk(fs, root, {.threads = threads}, {}));
  const Workspace workspace{fs, tree, cache};
  (void)Must(Identify(workspace, {}, {}));
  if (!cache.Save(fs)) std::exit(1);
}

int Main(const Path& folder, int files) {
  if (!std::filesystem::exists(folder)) MakeTree(folder, files);
  FileSystem& fs = PosixFileSystem();
  const Path cache_file = folder.native() + ".cache";
  const Root root = Must(FindRoot(fs, folder, std::nullopt, {}));
  const Cost git = Measure([&] { RunGit(folder, "git status --porcelain"); });
  Print("git status --porcelain", git, git);
  for (const std::size_t threads : {std::size_t{1}, ProcessorCount()}) {
    const Cost walk = Measure([&] { (void)Must(Walk(fs, root, {.threads = threads}, {})); });
    Print(fmt::format("walk, {} threads", threads), walk, git);
    IdentifyUnchanged(folder, cache_file, threads);
    const Cost all = Measure([&] { IdentifyUnchanged(folder, cache_file, threads); });
    Print(fmt::format("walk and identify, {} threads", threads), all, git);
  }
  return 0;
}

}  // namespace
}  // namespace kinetic::bundle

int main(int argc, char** argv) {
  if (argc < 2) {
    fmt::print(stderr, "usage: walk_bench FOLDER [FILES]\n");
    return 2;
  }
  return kinetic::bundle::Main(argv[1], argc > 2 ? std::atoi(argv[2]) : 50'000);
}

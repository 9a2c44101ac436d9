#include "bundle/format/tree_codec.h"
#include "bundle/read/tree_loader.h"
#include "bundle/source/walk.h"
#include "bundle/write/tree_builder.h"
#include "support/faulty_file_system.h"
#include "unit/bundle/fixture.h"

#include <gtest/gtest.h>
#include <rapidcheck/gtest.h>

#include <algorithm>
#include <atomic>
#include <chrono>
#include <filesystem>
#include <map>
#include <mutex>
#include <optional>
#include <random>
#include <set>
#include <string>
#include <thread>
#include <utility>
#include <vector>

namespace kinetic::bundle {
namespace {

using test::BundleFixture;

/// Generates content of a random kind, often with sizes around relevant limits.
std::string AnyContent() {
  const auto size = *rc::gen::oneOf(
      rc::gen::inRange<std::size_t>(0, 200), rc::gen::inRange<std::size_t>(0, 60'000),
      rc::gen::element<std::size_t>(256 << 10, (1 << 20) - 1, 1 << 20, (1 << 20) + 1),
      rc::gen::inRange<std::size_t>(0, 3 << 20));
  const auto seed = *rc::gen::inRange<std::uint64_t>(0, 20);
  switch (*rc::gen::inRange(0, 3)) {
    case 0:
      return test::RandomBytes(size, seed);
    case 1:
      return test::CompressibleText(size, seed);
    default:
      return std::string(size, '\0');
  }
}

std::string AnyName() {
  const auto name = *rc::gen::element<std::string>("a", "b", "a-b", "c.py", "\xC3\xA9", "\xFF\xFE",
                                                   "new\nline", "x", "y", "zz");
  return name;
}

/// Creates or removes something at a random path. Conflicting entries are removed.
void Edit(const test::TempTree& tree) {
  namespace fs = std::filesystem;
  const std::string folder = AnyName();
  const std::string path = *rc::gen::arbitrary<bool>() ? folder + "/" + AnyName() : folder;
  std::error_code ignored;
  if (fs::is_symlink(tree / folder) || !fs::is_directory(tree / folder)) {
    fs::remove(tree / folder, ignored);
  }
  fs::remove_all(tree / path, ignored);
  switch (*rc::gen::inRange(0, 6)) {
    case 0:
      break;
    case 1:
      tree.MakeFolder(path);
      break;
    case 2:
      tree.MakeFolder(folder == path ? "." : folder);
      tree.MakeLink(path, AnyName());
      break;
    case 3:
      tree.Write(path, AnyContent(), 0755);
      break;
    default:
      tree.Write(path, AnyContent());
  }
}

/// After any sequence of edits, with and without a stat cache, a bundle's name depends on its
/// content, and the unpacked files equal the written ones.
RC_GTEST_PROP(BundleProperty, UnpacksWhatWasWritten, ()) {
  BundleFixture bundle;
  bundle.options.threads = *rc::gen::inRange<std::size_t>(1, 4);
  bundle.options.pack_bytes = *rc::gen::element<std::uint64_t>(300'000, 2 << 20, 16 << 20);
  const int rounds = *rc::gen::inRange(1, 5);
  for (int round = 0; round < rounds; ++round) {
    const int edits = *rc::gen::inRange(1, round == 0 ? 25 : 4);
    for (int i = 0; i < edits; ++i) Edit(bundle.source);
    if (*rc::gen::inRange(0, 4) == 0) bundle.ResetCache();
    const auto report = bundle.Write();
    RC_ASSERT(report.has_value());
    const Path folder = bundle.NewFolder();
    const auto unpacked = bundle.Unpack(report->tree, folder);
    if (!unpacked) RC_FAIL(unpacked.error().message);
    test::ExpectSameFolders(bundle.source.path(), folder);
    RC_ASSERT(!::testing::Test::HasFailure());

    BundleFixture other;
    auto source = test::ListFolder(folder);
    auto cache = other.NewCache();
    const auto identity = ComputeTreeDigest({PosixFileSystem(), source, cache}, {}, {});
    RC_ASSERT(identity.has_value());
    RC_ASSERT(*identity == report->tree);
  }
}

/// No single fault of the store leaves a tree that cannot be unpacked.
RC_GTEST_PROP(BundleProperty, EveryStoredTreeHasItsContent, ()) {
  BundleFixture bundle;
  for (int i = 0; i < 12; ++i) Edit(bundle.source);
  const auto at = *rc::gen::inRange<std::uint64_t>(0, 12);
  bundle.request_error = [&](std::uint64_t index, std::string_view) {
    return index >= at ? std::optional(Error{ErrorCode::kUnavailable, "no", {}, {}}) : std::nullopt;
  };
  const auto report = bundle.Write();
  bundle.request_error = nullptr;
  for (const auto& name : bundle.Names("trees/")) {
    const auto tree = Digest::FromHex(std::string_view(name).substr(6));
    RC_ASSERT(tree.has_value());
    RC_ASSERT(bundle.Unpack(*tree, bundle.NewFolder()).has_value());
  }
  const auto again = bundle.Write();
  RC_ASSERT(again.has_value());
  if (report) RC_ASSERT(report->tree == again->tree);
}

/// Changes files at random operations of a client.
class Changes {
 public:
  Changes(const test::TempTree& tree, std::vector<std::string> paths)
      : tree_(tree), paths_(std::move(paths)) {
    for (const auto& path : paths_) versions_[path].insert(tree_.Read(path));
    const int count = *rc::gen::inRange(1, 6);
    for (int i = 0; i < count; ++i) {
      planned_[*rc::gen::inRange<std::uint64_t>(0, 60)] = {
          *rc::gen::inRange<std::size_t>(0, paths_.size()), *rc::gen::inRange(0, 6), AnyContent()};
    }
  }

  test::FaultyFileSystem::Plan Plan() {
    return [this](std::uint64_t index, std::string_view, const Path&) {
      const std::lock_guard lock(mutex_);
      if (const auto change = planned_.find(index); change != planned_.end()) Do(change->second);
      return std::nullopt;
    };
  }
  bool Had(const std::string& path, const std::string& content) const {
    return versions_.at(path).contains(content);
  }

 private:
  struct Change {
    std::size_t path;
    int kind;
    std::string content;
  };

  void Do(const Change& change) {
    namespace fs = std::filesystem;
    const std::string& path = paths_[change.path];
    std::error_code ignored;
    if (change.kind == 0 || fs::is_directory(tree_ / path)) fs::remove_all(tree_ / path, ignored);
    if (change.kind == 0) return;
    if (change.kind == 1) {
      fs::remove(tree_ / path);
      tree_.MakeFolder(path);
      return;
    }
    std::string content = change.content;
    if (fs::exists(tree_ / path)) {
      const std::string old = tree_.Read(path);
      if (change.kind == 2) content = old + content;
      if (change.kind == 3) content = old.substr(0, old.size() / 2);
      if (change.kind == 4) content.resize(old.size());
      if (change.kind == 5) fs::remove(tree_ / path);
    }
    tree_.Write(path, content);
    // A test changes files more often than clocks of file systems tick.
    fs::last_write_time(tree_ / path,
                        fs::file_time_type::clock::now() + std::chrono::hours(++done_));
    versions_[path].insert(std::move(content));
  }

  const test::TempTree& tree_;
  const std::vector<std::string> paths_;
  std::map<std::uint64_t, Change> planned_;
  std::map<std::string, std::set<std::string>> versions_;
  int done_ = 0;
  std::mutex mutex_;
};

/// Whenever files change while they are bundled, the tree is what was read: each file as it was at
/// some time, or named as changed or removed.
RC_GTEST_PROP(BundleProperty, ATreeIsWhatWasRead, ()) {
  BundleFixture bundle;
  bundle.options.threads = *rc::gen::inRange<std::size_t>(1, 3);
  const auto fill = [&](const std::string& path) { bundle.source.Write(path, AnyContent()); };
  std::vector<std::string> paths;
  for (const char* name : {"a", "b", "d/c", "d/e", "f"}) fill(paths.emplace_back(name));
  bundle.source.Write(paths.emplace_back("copy"), bundle.source.Read("a"));
  if (*rc::gen::arbitrary<bool>()) RC_ASSERT(bundle.Write().has_value());
  // The digests are known, but not the place of the content.
  if (*rc::gen::arbitrary<bool>()) {
    for (const auto& name : bundle.Names()) bundle.store.Drop(name);
  }
  if (*rc::gen::arbitrary<bool>()) fill("new");
  Changes changes(bundle.source, paths);
  test::FaultyFileSystem fs(changes.Plan(), test::FaultyFileSystem::Reach::kReadsToo);
  const auto report = bundle.Write(fs);
  if (!report) RC_FAIL(report.error().message);
  for (const auto& name : bundle.Names("trees/")) {
    const auto unpacked =
        bundle.Unpack(*Digest::FromHex(std::string_view(name).substr(6)), bundle.NewFolder());
    if (!unpacked) RC_FAIL(unpacked.error().message);
  }
  const Path folder = bundle.NewFolder();
  RC_ASSERT(bundle.Unpack(report->tree, folder).has_value());
  for (const auto& path : paths) {
    const bool is_removed = std::ranges::count(report->removed, path) > 0;
    RC_ASSERT(std::filesystem::exists(folder / path) != is_removed);
    if (is_removed || std::ranges::count(report->changed, path) > 0) continue;
    RC_ASSERT(changes.Had(path, *ReadFile(PosixFileSystem(), folder / path, 1U << 30)));
  }
}

/// Several clients bundle a folder that programs are changing.
TEST(BundleOfAFolderInUse, IsStored) {
  const test::TempTree source;
  const test::TempTree out;
  BundleFixture store;
  for (int i = 0; i < 10; ++i) source.Write("same" + std::to_string(i), "import this\n");
  std::atomic<bool> done = false;
  const auto change = [&](int number) {
    std::mt19937 random(static_cast<unsigned>(number));
    const std::string name = "f" + std::to_string(number);
    const auto size = [&] { return random() % 3 == 0 ? 2'000'000 : random() % 300'000; };
    while (!done) {
      std::error_code ignored;
      if (random() % 4 == 0) std::filesystem::remove(source / name, ignored);
      source.Write(name, test::RandomBytes(size(), random()));
      source.Write("same" + std::to_string(number), std::to_string(random() % 2));
      std::this_thread::sleep_for(std::chrono::milliseconds(random() % 60));
    }
  };
  const auto bundle = [&](int number) {
    const Path file = out / std::to_string(number);
    for (int i = 0; i < 40; ++i) {
      auto cache = StatCache::Load(PosixFileSystem(), file, SystemClock().Now());
      ASSERT_TRUE(cache);
      auto tree = Walk(PosixFileSystem(), {source.path(), "", {}}, {}, {});
      ASSERT_TRUE(tree) << tree.error().message;
      ContentLease lease(store.store, ReferencesOf);
      const auto report =
          WriteBundle(store.store, lease, {PosixFileSystem(), *tree, *cache}, store.options, {});
      ASSERT_TRUE(report) << report.error().message;
      ASSERT_TRUE(cache->Save(PosixFileSystem()));
      // Without a base, all content is read.
      if (i % 4 == 3) std::filesystem::remove(file);
      std::this_thread::sleep_for(std::chrono::milliseconds(20));  // so that old digests are cached
    }
  };
  std::vector<std::jthread> clients;
  {
    std::vector<std::jthread> programs;
    for (int i = 0; i < 4; ++i) programs.emplace_back(change, i);
    for (int i = 0; i < 2; ++i) clients.emplace_back(bundle, i);
    clients.clear();
    done = true;
  }
  for (const auto& name : store.Names("trees/")) {
    const auto tree = LoadTree(store.store, *Digest::FromHex(std::string_view(name).substr(6)), {});
    EXPECT_TRUE(tree) << tree.error().message;
  }
}

/// Decoded trees equal the encoded ones, also as deltas.
RC_GTEST_PROP(BundleProperty, EncodedTreesDecodeToTheSame, ()) {
  const auto any_tree = [](std::size_t packs) {
    Tree tree;
    for (std::size_t i = 0; i < packs; ++i) {
      tree.packs.push_back({Sha256::Of(std::to_string(i)), {{0, 10, 100}, {10, 20, 200}}});
    }
    const auto names = *rc::gen::unique<std::vector<std::string>>(
        rc::gen::nonEmpty(rc::gen::string<std::string>()));
    for (const auto& name : names) {
      TreeEntry entry{.path = name};
      for (char& c : entry.path) {
        if (c == '\0' || c == '/' || c == '.') c = '_';
      }
      entry.executable = *rc::gen::arbitrary<bool>();
      entry.size_bytes = *rc::gen::inRange<std::uint64_t>(0, 50);
      entry.content = Sha256::Of(entry.size_bytes == 0 ? "" : name);
      if (entry.size_bytes > 0) {
        entry.extents = {{*rc::gen::inRange<std::uint32_t>(0, static_cast<std::uint32_t>(packs)),
                          *rc::gen::inRange<std::uint32_t>(0, 2),
                          *rc::gen::inRange<std::uint64_t>(0, 50), entry.size_bytes,
                          entry.content}};
      }
      tree.entries.push_back(std::move(entry));
    }
    std::sort(tree.entries.begin(), tree.entries.end(),
              [](const auto& a, const auto& b) { return a.path < b.path; });
    tree.entries.erase(std::unique(tree.entries.begin(), tree.entries.end(),
                                   [](const auto& a, const auto& b) { return a.path == b.path; }),
                       tree.entries.end());
    return tree;
  };
  const Tree base = any_tree(2);
  const auto read_base = DecodeTree(*EncodeTree(base));
  RC_ASSERT(read_base.has_value());
  RC_ASSERT(read_base->entries == base.entries);
  Tree tree = any_tree(3);
  tree.base = TreeDigest(base.entries);
  tree.base_packs = 2;
  const auto read = DecodeTree(*EncodeTree(tree, &base), &base);
  RC_ASSERT(read.has_value());
  RC_ASSERT(read->entries == tree.entries);
  RC_ASSERT(read->packs == tree.packs);
}

}  // namespace
}  // namespace kinetic::bundle

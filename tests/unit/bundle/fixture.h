#pragma once

#include "bundle/format/tree_codec.h"
#include "bundle/gc/content_lease.h"
#include "bundle/read/unpacker.h"
#include "bundle/source/walk.h"
#include "bundle/write/bundle_writer.h"
#include "bundle/write/stat_cache.h"
#include "support/fake_clock.h"
#include "support/memory_store.h"
#include "support/temp_tree.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <functional>
#include <memory>
#include <mutex>
#include <optional>
#include <string>
#include <vector>

namespace kinetic::test {

/// Returns `count` pseudo-random bytes.
inline std::string RandomBytes(std::size_t count, std::uint64_t seed) {
  std::string bytes(count, '\0');
  std::uint64_t state = seed * 0x9E3779B97F4A7C15 + 1;
  for (char& byte : bytes) {
    state ^= state << 13;
    state ^= state >> 7;
    state ^= state << 17;
    byte = static_cast<char>(state >> 32);
  }
  return bytes;
}

/// Returns `count` bytes that compress like source code.
inline std::string CompressibleText(std::size_t count, std::uint64_t seed) {
  const std::string words = RandomBytes(64, seed);
  const std::string choices = RandomBytes(count / 8 + 1, seed + 1);
  std::string text;
  for (const char choice : choices) {
    const auto begin = static_cast<unsigned char>(choice) % 56U;
    text += words.substr(begin, 8);
  }
  text.resize(count);
  return text;
}

/// Returns the entries of a folder without ignore rules.
inline bundle::SourceTree ListFolder(const Path& root) {
  bundle::SourceTree tree;
  tree.root = root;
  namespace fs = std::filesystem;
  for (const auto& item : fs::recursive_directory_iterator(root)) {
    bundle::SourceEntry entry;
    entry.path = item.path().lexically_relative(root).native();
    if (item.is_symlink()) {
      entry.type = BundleEntry::Type::kSymlink;
      entry.link_target = fs::read_symlink(item.path()).native();
    } else if (item.is_directory()) {
      if (!fs::is_empty(item.path())) continue;
      entry.type = BundleEntry::Type::kEmptyFolder;
    } else {
      entry.status = *PosixFileSystem().Lstat(item.path());
      entry.executable = (entry.status.mode & 0100U) != 0;
    }
    tree.entries.push_back(std::move(entry));
  }
  std::sort(tree.entries.begin(), tree.entries.end(),
            [](const auto& a, const auto& b) { return a.path < b.path; });
  return tree;
}

/// A source folder, a store and the caches.
struct BundleFixture {
  TempTree source;
  TempTree out;
  FakeClock clock;
  MemoryStore store{clock};
  bundle::StatCache cache = NewCache();
  std::shared_ptr<bundle::TreeCache> trees;  ///< null unless a test sets it
  bundle::WriteOptions options{.threads = 2};
  int unpacked = 0;
  /// Returns the error of a request, or nullopt. Requests are counted from 0.
  std::function<std::optional<Error>(std::uint64_t index, std::string_view name)> request_error;
  std::uint64_t requests = 0;

  BundleFixture() {
    store.SetHook([this](std::string_view operation, std::string_view name) {
      return OnRequest(operation, name);
    });
  }

  Result<bundle::WriteReport> Write() { return Write(PosixFileSystem()); }
  Result<bundle::WriteReport> Write(FileSystem& fs) {
    auto tree = ListFolder(source.path());
    constexpr std::size_t kRequests = 16;
    bundle::ContentLease lease(store, bundle::ReferencesOf, kRequests, trees);
    return bundle::WriteBundle(store, lease, {fs, tree, cache}, options, {});
  }
  /// Creates a cache that trusts files that were just written.
  bundle::StatCache NewCache() const {
    const auto later = SystemClock().Now() + std::chrono::hours(1);
    return *bundle::StatCache::Load(PosixFileSystem(), out / "cache", later);
  }
  void ResetCache() { cache = NewCache(); }

  std::vector<std::string> Names(std::string_view prefix = {}) const {
    std::vector<std::string> names;
    for (const auto& [name, info] : store.Objects()) {
      if (name.starts_with(prefix)) names.push_back(name);
    }
    return names;
  }
  std::string Bytes(const std::string& name) const { return store.Peek(name).value_or(""); }
  void SetBytes(const std::string& name, std::string_view bytes) {
    store.Drop(name);
    ASSERT_TRUE(store::PutBytes(store, name, bytes, store::Precondition::Absent(), {}));
  }

  Path NewFolder() { return out / ("unpacked-" + std::to_string(unpacked++)); }
  Result<bundle::UnpackReport> Unpack(const Digest& tree, const Path& folder) {
    return bundle::Unpack(store, {PosixFileSystem(), folder}, tree, {.threads = 2}, {});
  }

 private:
  Status OnRequest(std::string_view operation, std::string_view name) {
    const std::lock_guard lock(mutex_);
    if (operation == "stored" || operation == "now") return {};
    const auto index = requests++;
    if (!request_error) return {};
    if (auto error = request_error(index, name)) return Failure(*std::move(error));
    return {};
  }

  std::mutex mutex_;
};

/// Expects equal names, types, contents, links and executable bits.
inline void ExpectSameFolders(const Path& a, const Path& b) {
  const auto left = ListFolder(a);
  const auto right = ListFolder(b);
  ASSERT_EQ(left.entries.size(), right.entries.size());
  for (std::size_t i = 0; i < left.entries.size(); ++i) {
    const auto& x = left.entries[i];
    const auto& y = right.entries[i];
    ASSERT_EQ(x.path, y.path);
    EXPECT_EQ(x.type, y.type) << x.path;
    EXPECT_EQ(x.link_target, y.link_target) << x.path;
    EXPECT_EQ(x.executable, y.executable) << x.path;
    if (x.type != BundleEntry::Type::kFile) continue;
    EXPECT_EQ(y.status.mode, x.executable ? 0755U : 0644U) << x.path;
    constexpr std::uint64_t kLimit = 1ULL << 30;
    EXPECT_EQ(*ReadFile(PosixFileSystem(), a / x.path, kLimit),
              *ReadFile(PosixFileSystem(), b / y.path, kLimit))
        << x.path;
  }
}

}  // namespace kinetic::test

#include "bundle/format/tree_codec.h"
#include "bundle/write/tree_builder.h"
#include "unit/bundle/fixture.h"

#include <gtest/gtest.h>
#include <rapidcheck/gtest.h>

#include <filesystem>
#include <string>
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
    const auto source = test::ListFolder(folder);
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
  RC_ASSERT(!report || report->tree == again->tree);
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

#include "kinetic/try.h"

#include "bundle/format/tree.h"
#include "bundle/read/tree_loader.h"

#include <cstdint>
#include <map>
#include <utility>

namespace kinetic::bundle {
namespace {

using EntryType = BundleEntry::Type;

class Merger {
 public:
  void Add(const Tree& tree) {
    const std::vector<std::uint32_t> packs = AddPacks(tree.packs);
    const std::uint64_t inline_begin = merged_.tree.inline_bytes.size();
    merged_.tree.inline_bytes += tree.inline_bytes;
    for (TreeEntry entry : tree.entries) {
      for (Extent& extent : entry.extents) {
        if (extent.IsInline()) {
          extent.offset += inline_begin;
        } else {
          extent.pack = packs[extent.pack];
        }
      }
      AddEntry(std::move(entry));
    }
  }

  Result<MergedTree> Finish() {
    auto& entries = merged_.tree.entries;
    entries.reserve(by_path_.size());
    for (auto& [path, entry] : by_path_) {
      // Skip folders that are not empty in other trees.
      if (entry.type == EntryType::kEmptyFolder && IsParent(path)) continue;
      entries.push_back(std::move(entry));
    }
    KINETIC_RETURN_IF_ERROR(CheckEntries(entries));
    return std::move(merged_);
  }

 private:
  /// Adds the packs of a tree. Returns their indexes in the merged tree.
  std::vector<std::uint32_t> AddPacks(std::span<const PackInfo> packs) {
    std::vector<std::uint32_t> numbers;
    numbers.reserve(packs.size());
    for (const PackInfo& pack : packs) {
      const auto next = static_cast<std::uint32_t>(merged_.tree.packs.size());
      const auto [known, is_new] = pack_numbers_.try_emplace(pack.digest, next);
      if (is_new) merged_.tree.packs.push_back(pack);
      numbers.push_back(known->second);
    }
    return numbers;
  }

  void AddEntry(TreeEntry entry) {
    std::string path = entry.path;
    const auto there = by_path_.find(path);
    if (there == by_path_.end()) {
      by_path_.emplace(std::move(path), std::move(entry));
    } else if (!HaveSameContent(there->second, entry)) {
      there->second = std::move(entry);
      merged_.replaced.push_back(std::move(path));
    }
  }

  bool IsParent(const std::string& folder) const {
    const auto inside = by_path_.lower_bound(folder + '/');
    return inside != by_path_.end() && inside->first.starts_with(folder + '/');
  }

  MergedTree merged_;
  std::map<std::string, TreeEntry> by_path_;
  std::map<Digest, std::uint32_t> pack_numbers_;
};

}  // namespace

Result<MergedTree> MergeTrees(std::span<const Tree> trees) {
  Merger merger;
  for (const Tree& tree : trees) merger.Add(tree);
  return merger.Finish();
}

}  // namespace kinetic::bundle

#include "bundle/read/unpacker.h"

#include <algorithm>
#include <tuple>

namespace kinetic::bundle {
namespace {

constexpr std::uint64_t kFetchBytes = 1 << 20;  // stored bytes fetched in one request
constexpr std::size_t kInlineBatchFiles = 256;  // files

void AddFolders(const TreeEntry& entry, std::string_view previous, UnpackPlan& plan) {
  const std::string_view path = entry.path;
  const auto differ = std::mismatch(path.begin(), path.end(), previous.begin(), previous.end());
  const auto shared = static_cast<std::size_t>(differ.first - path.begin());
  for (auto slash = path.find('/', shared); slash != path.npos; slash = path.find('/', slash + 1)) {
    plan.folders.push_back(path.substr(0, slash));
  }
  if (entry.type == BundleEntry::Type::kEmptyFolder) plan.folders.push_back(path);
}

void AddUses(const TreeEntry& entry, std::uint32_t number, UnpackPlan& plan) {
  if (entry.extents.empty()) plan.uses.push_back({Extent::kInline, 0, number, 0});
  if (entry.extents.size() > 1) plan.chunked_files.push_back(number);
  for (std::uint32_t i = 0; i < entry.extents.size(); ++i) {
    plan.uses.push_back({entry.extents[i].pack, entry.extents[i].frame, number, i});
  }
}

/// Returns the batch that starts with the use at `begin`.
UnpackBatch NextBatch(const Tree& tree, const std::vector<ExtentUse>& uses, std::size_t begin) {
  const ExtentUse& first = uses[begin];
  UnpackBatch batch{{first.pack, first.frame, 0}, begin, begin, 0};
  if (first.pack == Extent::kInline) {
    batch.end = std::min(uses.size(), begin + kInlineBatchFiles);
    return batch;
  }
  const auto& frames = tree.packs[first.pack].frames;
  std::uint64_t stored = 0;
  std::uint64_t largest = 0;
  std::uint32_t next = first.frame;
  while (batch.end < uses.size() && uses[batch.end].pack == first.pack) {
    const std::uint32_t frame = uses[batch.end].frame;
    if (frame > next) break;
    if (frame == next) {
      if (stored > 0 && stored + frames[frame].stored_bytes > kFetchBytes) break;
      stored += frames[frame].stored_bytes;
      largest = std::max<std::uint64_t>(largest, frames[frame].content_bytes);
      ++next;
    }
    ++batch.end;
  }
  batch.frames.count = next - first.frame;
  batch.memory_bytes = stored + largest;
  return batch;
}

}  // namespace

UnpackPlan PlanUnpacking(const Tree& tree, std::span<const char> present) {
  UnpackPlan plan;
  std::string_view previous;
  for (std::uint32_t i = 0; i < tree.entries.size(); ++i) {
    const TreeEntry& entry = tree.entries[i];
    AddFolders(entry, previous, plan);
    previous = entry.path;
    const bool is_present = !present.empty() && present[i] != 0;
    if (entry.type == BundleEntry::Type::kFile && !is_present) AddUses(entry, i, plan);
    if (entry.type == BundleEntry::Type::kSymlink) plan.links.push_back(i);
  }
  // Remove duplicates: "a/b-x" is sorted between "a/b" and "a/b/y".
  std::sort(plan.folders.begin(), plan.folders.end());
  plan.folders.erase(std::unique(plan.folders.begin(), plan.folders.end()), plan.folders.end());
  std::sort(plan.uses.begin(), plan.uses.end(), [](const ExtentUse& a, const ExtentUse& b) {
    return std::tie(a.pack, a.frame, a.entry, a.extent) <
           std::tie(b.pack, b.frame, b.entry, b.extent);
  });
  for (std::size_t begin = 0; begin < plan.uses.size(); begin = plan.batches.back().end) {
    plan.batches.push_back(NextBatch(tree, plan.uses, begin));
  }
  return plan;
}

}  // namespace kinetic::bundle

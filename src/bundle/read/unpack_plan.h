#pragma once

#include "bundle/format/tree.h"
#include "bundle/read/tree_loader.h"

#include <cstddef>
#include <cstdint>
#include <string_view>
#include <vector>

namespace kinetic::bundle {

/// An extent and the file that it is part of.
struct ExtentUse {
  std::uint32_t pack = 0;  ///< Extent::kInline for inline bytes and empty files
  std::uint32_t frame = 0;
  std::uint32_t entry = 0;   ///< index into Tree::entries
  std::uint32_t extent = 0;  ///< index into TreeEntry::extents
};

/// Frames that are fetched together and their uses; or, without frames, files with inline bytes.
struct UnpackBatch {
  FrameRange frames;
  std::size_t begin = 0;  ///< index into UnpackPlan::uses
  std::size_t end = 0;
  std::uint64_t memory_bytes = 0;  ///< required while it is unpacked
};

/// The order in which a tree is unpacked.
struct UnpackPlan {
  std::vector<std::string_view> folders;  ///< all folders, parents first; views of the tree
  std::vector<ExtentUse> uses;            ///< sorted by pack and frame, to fetch each frame once
  std::vector<UnpackBatch> batches;
  std::vector<std::uint32_t> links;          ///< entries
  std::vector<std::uint32_t> chunked_files;  ///< entries: files of several extents
};

/// Plans the unpacking of `tree`, which must outlive the plan.
UnpackPlan PlanUnpacking(const Tree& tree);

}  // namespace kinetic::bundle

#pragma once

#include "bundle/format/tree.h"
#include "bundle/read/tree_loader.h"

#include <cstddef>
#include <cstdint>
#include <string_view>
#include <vector>

namespace kinetic::bundle {

/// One piece of content and the file that it goes to.
struct Use {
  std::uint32_t pack = 0;  ///< Extent::kInline for inline bytes and for empty files
  std::uint32_t frame = 0;
  std::uint32_t entry = 0;   ///< index into Tree::entries
  std::uint32_t extent = 0;  ///< index into TreeEntry::extents
};

/// One portion of work: frames that are fetched together and what is made of them; or, without
/// frames, files from inline bytes.
struct Portion {
  FrameRange frames;
  std::size_t begin = 0;  ///< of its uses
  std::size_t end = 0;
  std::uint64_t memory_bytes = 0;  ///< that it takes
};

/// In which order a tree is unpacked.
struct UnpackPlan {
  std::vector<std::string_view> folders;  ///< all of them, parents first; views into the tree
  std::vector<Use> uses;                  ///< by pack and frame, so that each is fetched once
  std::vector<Portion> portions;
  std::vector<std::uint32_t> links;   ///< entries
  std::vector<std::uint32_t> pieced;  ///< entries: files of several extents
};

/// The tree outlives the plan.
UnpackPlan PlanUnpacking(const Tree& tree);

}  // namespace kinetic::bundle

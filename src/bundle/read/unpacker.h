#pragma once

#include "kinetic/result.h"

#include "base/files/file_system.h"
#include "base/hash/digest.h"
#include "bundle/format/tree.h"
#include "bundle/read/tree_loader.h"
#include "store/object_store.h"

#include <cstddef>
#include <cstdint>
#include <functional>
#include <optional>
#include <span>
#include <stop_token>
#include <string>
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
///
/// @param present  one value for each entry, or none; entries other than 0 are already unpacked.
UnpackPlan PlanUnpacking(const Tree& tree, std::span<const char> present = {});

/// A folder of this machine from which a tree was made. Files that are unchanged are copied from it,
/// which is faster than unpacking them.
struct OriginalFiles {
  Path folder;
  /// Returns the SHA-256 of the file with that path and status, if it is known. Thread-safe.
  std::function<std::optional<Digest>(const std::string& path, const FileStatus& status)> digest_of;
};

struct UnpackOptions {
  std::size_t threads = 0;  ///< 0: one per processor; 16 suits a store over a network
  std::uint64_t memory_bytes = 64ULL << 20;      ///< limit for content in memory; at least 32 MiB
  std::uint64_t max_content_bytes = 1ULL << 44;  ///< larger bundles are rejected
  const OriginalFiles* originals = nullptr;      ///< may be null
  /// Called with the size of the content before any is fetched. May be empty.
  std::function<void(std::uint64_t total_bytes)> on_total = {};
  /// Called with the size of unpacked content, concurrently. May be empty.
  std::function<void(std::uint64_t bytes)> on_bytes = {};
};

struct UnpackReport {
  std::uint64_t files = 0;
  std::uint64_t links = 0;
  std::uint64_t folders = 0;
  std::uint64_t content_bytes = 0;  ///< written to files
  std::uint64_t stored_bytes = 0;   ///< fetched from packs
  std::uint64_t copied_files = 0;   ///< of originals; included in `files`
};

/// The folder to unpack to.
struct Destination {
  FileSystem& fs;
  Path folder;  ///< absent or empty; nothing is written outside of it
};

/// Fetches and unpacks a bundle. Verifies the digests of the tree and of each file. Files have mode
/// 0644 or 0755 and folders 0755, regardless of the umask; times are not restored. Links are
/// created last. Does not sync to disk. After an error the caller must remove the folder, which may
/// be incomplete.
///
/// @errors  kNotFound (tree or pack) · kDataLoss (names the object, the offset and the file) ·
///          kFailedPrecondition (the folder is not empty) · kResourceExhausted (more content than
///          allowed, or disk full) · kCancelled · those of FileSystem and Store.
Result<UnpackReport> Unpack(store::Store& store, const Destination& destination, const Digest& tree,
                            const UnpackOptions& options, std::stop_token stop);

}  // namespace kinetic::bundle

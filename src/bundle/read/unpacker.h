#pragma once

#include "kinetic/result.h"

#include "base/files/file_system.h"
#include "base/hash/digest.h"
#include "store/object_store.h"

#include <cstdint>
#include <functional>
#include <stop_token>

namespace kinetic::bundle {

struct UnpackOptions {
  std::size_t threads = 0;  ///< 0: one per processor; 16 suits a store over a network
  std::uint64_t memory_bytes = 64ULL << 20;      ///< of content held at once; at least 32 MiB
  std::uint64_t max_content_bytes = 1ULL << 44;  ///< a bundle with more is refused
  /// Is told how much content there is, before any of it is fetched; may be empty.
  std::function<void(std::uint64_t total_bytes)> on_total = {};
  /// Is told of content that has been unpacked. Called from several threads; may be empty.
  std::function<void(std::uint64_t bytes)> on_bytes = {};
};

struct UnpackReport {
  std::uint64_t files = 0;
  std::uint64_t links = 0;
  std::uint64_t folders = 0;
  std::uint64_t content_bytes = 0;  ///< written to files
  std::uint64_t stored_bytes = 0;   ///< fetched from packs
};

/// Where to, and through what.
struct Destination {
  FileSystem& fs;
  Path folder;  ///< absent, or an empty folder; nothing is written outside of it
};

/// Fetches a bundle and unpacks it. The tree's digest is verified, and that of each file's
/// content; a chunk's where the file that it is part of is wrong, to name it. Files are 0644 or
/// 0755, folders 0755, whatever the umask; their times are those of unpacking. Links are made last.
/// Nothing is forced to the disk. After an error the folder holds some of the bundle and is to be
/// removed.
///
/// @errors  kNotFound (tree or pack) · kDataLoss (names the object, the place and the file) ·
///          kFailedPrecondition (the folder is not empty) · kResourceExhausted (more content
///          than allowed, no room on the disk) · kCancelled · those of FileSystem,
///          Store.
Result<UnpackReport> Unpack(store::Store& store, const Destination& destination, const Digest& tree,
                            const UnpackOptions& options, std::stop_token stop);

}  // namespace kinetic::bundle

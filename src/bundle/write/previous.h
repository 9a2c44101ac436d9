#pragma once

#include "kinetic/result.h"

#include "bundle/format/digest_index.h"
#include "bundle/format/tree.h"
#include "bundle/gc/content_lease.h"
#include "bundle/read/tree_loader.h"

#include <optional>
#include <stop_token>
#include <unordered_map>
#include <vector>

namespace kinetic::bundle {

/// The last tree of a project: what is in the store already.
///
/// @threads  concurrent reads are safe.
class Previous {
 public:
  /// Reads the tree and confirms that all it names is there and stays. Nothing when it is gone or
  /// damaged: what cannot be built upon is left alone. When the cache of `lease` has the tree, and
  /// it is young, that takes two requests at the same time.
  ///
  /// @errors  those of Store and ContentLease.
  static Result<std::optional<Previous>> Load(store::Store& store, ContentLease& lease,
                                              const Digest& digest, std::stop_token stop);

  // What is found points into the entries: they may move, but not be copied.
  Previous(Previous&&) = default;
  Previous& operator=(Previous&&) = default;
  Previous(const Previous&) = delete;
  Previous& operator=(const Previous&) = delete;
  ~Previous() = default;

  const Tree& tree() const { return loaded_.tree; }
  /// The full tree under it, or itself.
  const Tree& base() const { return loaded_.base ? *loaded_.base : loaded_.tree; }
  const Digest& base_digest() const { return base_digest_; }

  /// Where the content of a file is; null when it is not there.
  const std::vector<Extent>* FindFile(const Digest& content) const;
  /// Where a content that is in one piece, or a chunk, is.
  const Extent* FindPiece(const Digest& content) const;

 private:
  Previous(LoadedTree loaded, const Digest& digest);

  static Result<std::optional<Previous>> Confirm(ContentLease& lease, const TreeObjects& objects,
                                                 const std::stop_token& stop);

  LoadedTree loaded_;
  Digest base_digest_;
  DigestIndex<TreeEntry, &TreeEntry::content> files_;
  std::unordered_map<Digest, const Extent*> pieces_;
};

}  // namespace kinetic::bundle

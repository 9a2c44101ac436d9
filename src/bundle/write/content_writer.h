#pragma once

#include "kinetic/result.h"

#include "bundle/format/chunk.h"
#include "bundle/write/buffer.h"
#include "bundle/write/bundle_writer.h"
#include "bundle/write/composer.h"
#include "bundle/write/hash_plan.h"
#include "bundle/write/ordered_gate.h"
#include "bundle/write/previous.h"

#include <cstddef>
#include <cstdint>
#include <stop_token>
#include <string>
#include <unordered_map>
#include <vector>

namespace kinetic::bundle {

/// Reads what of a bundle is not stored yet, and gives it to a composer in the order of the paths.
///
/// @threads  one thread at a time; Write uses several of its own.
class ContentWriter {
 public:
  /// All of these outlive the object; `previous` may be null.
  ContentWriter(const Workspace& workspace, const Previous* previous, HashPlan& plan,
                Composer& composer);

  /// Afterwards all of the plan's digests are known and their content is stored, held by the
  /// composer, or in the previous tree.
  Status Write(std::size_t threads, std::stop_token stop);

  /// The pieces of a content: digests and lengths.
  struct Piece {
    Digest digest;
    std::uint64_t length = 0;
  };
  /// The chunks of a large file that was read; null for other contents.
  const std::vector<Piece>* FindChunks(const Digest& content) const;

 private:
  /// Neighbouring small files, or one large file.
  using Item = std::vector<std::size_t>;

  void Plan();
  bool IsLarge(std::size_t i) const;
  Status WriteSmall(const Item& item, std::uint64_t number, const std::stop_token& stop);
  Status WriteLarge(std::size_t i, std::uint64_t number, const std::stop_token& stop);
  Status Keep(std::size_t i, const FileContent& content, std::string_view bytes);

  const Workspace& workspace_;
  const Previous* previous_;
  HashPlan& plan_;
  Composer& composer_;
  std::vector<Item> items_;
  BufferPool buffers_{kMaxChunkBytes};
  OrderedGate gate_;
  std::unordered_map<Digest, std::vector<Piece>> chunks_;
};

}  // namespace kinetic::bundle

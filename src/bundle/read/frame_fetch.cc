#include "kinetic/try.h"

#include "base/strings.h"
#include "bundle/read/tree_loader.h"
#include "record/object_names.h"

#include <fmt/format.h>

#include <utility>

namespace kinetic::bundle {

Result<std::string> FetchFrames(store::Store& store, const Tree& tree, const FrameRange& range,
                                std::stop_token stop) {
  const PackInfo& pack = tree.packs[range.pack];
  const Frame& first = pack.frames[range.first];
  const Frame& last = pack.frames[range.first + range.count - 1];
  const std::uint64_t length = last.offset + last.stored_bytes - first.offset;
  std::string stored;
  stored.reserve(length);
  const auto take = [&](std::string_view piece) -> Status {
    stored += piece.substr(0, length - stored.size());
    return {};
  };
  KINETIC_ASSIGN_OR_RETURN(
      const auto info,
      store.Get(record::PackName(pack.digest), {first.offset, length}, take, std::move(stop)));
  if (!info) {
    return Failure(Error{
        ErrorCode::kNotFound,
        fmt::format("pack {} is not in {}", pack.digest.Hex(), store.Location()),
        "submit the job again; removed content cannot be restored",
        {}}.With(kPackDetail, pack.digest.Hex()));
  }
  if (stored.size() != length) {
    return Failure(Error{
        ErrorCode::kDataLoss,
        fmt::format("pack {} is truncated: {} of {} bytes at byte {}", pack.digest.Hex(),
                    stored.size(), length, first.offset),
        {},
        {}}.With(kPackDetail, pack.digest.Hex()));
  }
  return stored;
}

Result<std::string_view> DecompressFrame(Decompressor& decompressor, const Tree& tree,
                                         std::uint32_t pack, std::uint32_t frame,
                                         std::string_view stored) {
  const Frame& expected = tree.packs[pack].frames[frame];
  auto content = decompressor.Decompress(stored, expected.content_bytes);
  if (!content) {
    const std::string digest = tree.packs[pack].digest.Hex();
    return Failure(
        std::move(content)
            .error()
            .Context(fmt::format("pack {}: frame {} at byte {}", digest, frame, expected.offset))
            .With(kPackDetail, digest));
  }
  return content;
}

Error DigestMismatch(std::string_view path, const Digest& expected) {
  return {ErrorCode::kDataLoss,
          fmt::format("'{}': content does not match sha256 {}", Printable(path), expected.Hex()),
          {},
          {}};
}

}  // namespace kinetic::bundle

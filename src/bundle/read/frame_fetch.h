#pragma once

#include "kinetic/result.h"

#include "bundle/format/frame.h"
#include "bundle/format/tree.h"
#include "store/object_store.h"

#include <cstdint>
#include <stop_token>
#include <string>
#include <string_view>

namespace kinetic::bundle {

/// Neighbouring frames of one pack.
struct FrameRange {
  std::uint32_t pack = 0;  ///< index into Tree::packs
  std::uint32_t first = 0;
  std::uint32_t count = 0;
};

/// The stored bytes of a range, in one request.
///
/// @errors  kNotFound (no such pack) · kDataLoss (cut short); each names the pack · those of Store.
Result<std::string> FetchFrames(store::Store& store, const Tree& tree, const FrameRange& range,
                                std::stop_token stop);

/// The content of one frame out of its stored bytes, valid until the next use of `decompressor`.
///
/// @errors  kDataLoss: names pack, frame and offset.
Result<std::string_view> DecompressFrame(Decompressor& decompressor, const Tree& tree,
                                         std::uint32_t pack, std::uint32_t frame,
                                         std::string_view stored);

/// The error for content that has not the digest it should have.
Error WrongContent(std::string_view path, const Digest& expected);

}  // namespace kinetic::bundle

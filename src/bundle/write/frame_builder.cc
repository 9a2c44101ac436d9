#include "bundle/write/frame_builder.h"

#include "kinetic/try.h"

#include <utility>

namespace kinetic::bundle {

Status FrameBuilder::Add(const Digest& digest, std::string_view bytes) {
  if (!locations_.emplace(digest, Location{kOpen, open_.size(), bytes.size()}).second) return {};
  open_digests_.push_back(digest);
  open_ += bytes;
  return open_.size() >= kFrameBytes ? CloseFrame() : Status();
}

Status FrameBuilder::AddChunk(const Digest& digest, Buffer chunk, bool compressible) {
  if (chunk.size() < kFrameBytes) return Add(digest, chunk.view());
  if (Has(digest)) return {};
  const std::size_t length = chunk.size();
  KINETIC_ASSIGN_OR_RETURN(const std::uint64_t frame,
                           packer_.Submit({std::move(chunk), digest, compressible}));
  has_frames_ = true;
  locations_.emplace(digest, Location{frame, 0, length});
  return {};
}

Status FrameBuilder::CloseFrame() {
  KINETIC_ASSIGN_OR_RETURN(const std::uint64_t frame,
                           packer_.Submit({Buffer::Copy(open_), {}, true}));
  has_frames_ = true;
  open_.clear();
  for (const auto& digest : open_digests_) locations_[digest].frame = frame;
  open_digests_.clear();
  return {};
}

Result<StoredContent> FrameBuilder::Finish() {
  StoredContent stored_content;
  if (!has_frames_) {
    stored_content.inline_bytes = std::move(open_);
  } else if (!open_.empty()) {
    KINETIC_RETURN_IF_ERROR(CloseFrame());
  }
  KINETIC_ASSIGN_OR_RETURN(PackedFrames packed, packer_.Finish());
  frames_ = std::move(packed.places);
  stored_content.packs = std::move(packed.packs);
  stored_content.stored_packs = packed.stored_packs;
  stored_content.stored_bytes = packed.stored_bytes;
  return stored_content;
}

std::optional<Extent> FrameBuilder::Find(const Digest& digest) const {
  const auto found = locations_.find(digest);
  if (found == locations_.end()) return std::nullopt;
  const Location& location = found->second;
  Extent extent{.offset = location.offset, .length = location.length, .content = digest};
  if (location.frame != kOpen) {
    extent.pack = frames_[location.frame].pack;
    extent.frame = frames_[location.frame].frame;
  }
  return extent;
}

}  // namespace kinetic::bundle

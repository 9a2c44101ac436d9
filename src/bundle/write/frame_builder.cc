#include "bundle/write/frame_builder.h"

#include "base/try.h"

#include <utility>

namespace kinetic::bundle {

Status Composer::Add(const Digest& digest, std::string_view bytes) {
  if (!places_.emplace(digest, Place{kOpen, open_.size(), bytes.size()}).second) return {};
  in_open_.push_back(digest);
  open_ += bytes;
  return open_.size() >= kFrameBytes ? CloseFrame() : Status();
}

Status Composer::AddChunk(const Digest& digest, Buffer chunk, bool compressible) {
  if (chunk.size() < kFrameBytes) return Add(digest, chunk.view());
  if (Has(digest)) return {};
  const std::size_t length = chunk.size();
  KINETIC_ASSIGN_OR_RETURN(const std::uint64_t frame,
                           packer_.Submit({std::move(chunk), digest, compressible}));
  any_frame_ = true;
  places_.emplace(digest, Place{frame, 0, length});
  return {};
}

Status Composer::CloseFrame() {
  KINETIC_ASSIGN_OR_RETURN(const std::uint64_t frame,
                           packer_.Submit({Buffer::Copy(open_), {}, true}));
  any_frame_ = true;
  open_.clear();
  for (const auto& digest : in_open_) places_[digest].frame = frame;
  in_open_.clear();
  return {};
}

Result<Composed> Composer::Finish() {
  Composed composed;
  if (!any_frame_) {
    composed.inline_bytes = std::move(open_);
  } else if (!open_.empty()) {
    KINETIC_RETURN_IF_ERROR(CloseFrame());
  }
  KINETIC_ASSIGN_OR_RETURN(PackedFrames packed, packer_.Finish());
  frames_ = std::move(packed.places);
  composed.packs = std::move(packed.packs);
  composed.stored_packs = packed.stored_packs;
  composed.stored_bytes = packed.stored_bytes;
  return composed;
}

std::optional<Extent> Composer::Find(const Digest& digest) const {
  const auto found = places_.find(digest);
  if (found == places_.end()) return std::nullopt;
  const Place& place = found->second;
  Extent extent{.offset = place.offset, .length = place.length, .content = digest};
  if (place.frame != kOpen) {
    extent.pack = frames_[place.frame].pack;
    extent.frame = frames_[place.frame].frame;
  }
  return extent;
}

}  // namespace kinetic::bundle

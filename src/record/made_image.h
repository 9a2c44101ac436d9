#pragma once

#include "kinetic/result.h"

#include "base/digest.h"
#include "store/store.h"

#include <stop_token>
#include <string>
#include <string_view>

namespace kinetic::record {

/// What images/{key} says: clients of this store had an image made, or began to. Whether it is
/// there is for its registry to say; this says whose it is to remove, and its lease when it was
/// last used.
struct MadeImage {
  std::string image;  ///< "registry/name:tag", in full
  Digest key;         ///< of what it is made from: the image has it as a label
  bool operator==(const MadeImage&) const = default;
};

std::string ToJson(const MadeImage& image);
/// @errors  kDataLoss: no such document, or of a newer version.
Result<MadeImage> MadeImageFromJson(std::string_view json);

/// Puts the document, in place of one that is there.
Status WriteMadeImage(store::Store& store, const MadeImage& image, std::stop_token stop);

/// Notes that an image is used, if it is one that this store had made.
///
/// @param image  as MadeImage::image.
Status TouchMadeImage(store::Store& store, std::string_view image, std::stop_token stop);

}  // namespace kinetic::record

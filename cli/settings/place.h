#pragma once

#include "kinetic/result.h"

#include <string>
#include <string_view>

namespace kinetic::cli {

/// Whether a store's place is in a bucket: "gs://bucket", "gs://bucket/folder".
bool IsBucketPlace(std::string_view text);

/// Whether a place can be a store's, as far as that can be said without asking anybody: a folder,
/// or a bucket by the rules for their names, with a folder in it that every tool can name.
///
/// @param  what  named in the error: "--store".
/// @source https://cloud.google.com/storage/docs/buckets#naming,
///         https://cloud.google.com/storage/docs/objects#naming
Status CheckPlace(std::string_view what, const std::string& text);

/// Whether a text is the address of a server: "http://host:port", or without the scheme.
///
/// @param schemes  "http https": those allowed.
Status CheckAddress(std::string_view what, std::string_view text, std::string_view schemes);

}  // namespace kinetic::cli

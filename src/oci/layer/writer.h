#pragma once

#include "kinetic/image.h"
#include "kinetic/result.h"

#include "base/files/file_system.h"
#include "base/files/temp_dir.h"
#include "base/hash/digest.h"
#include "base/time/clock.h"
#include "oci/format/descriptor.h"
#include "oci/layer/byte_sink.h"
#include "oci/layer/tar_writer.h"

#include <cstdint>
#include <stop_token>
#include <vector>

namespace kinetic::oci {


/// Writes a layer in one pass and bounded memory; both digests are known at its end.
///
/// @param entries  in any order.
/// @errors  the file system's and the sink's; kAborted: a file changed while it was read;
///          kInvalidArgument: as Arrange says; kCancelled.
Result<Layer> WriteLayer(FileSystem& fs, std::vector<Entry> entries, ImageCompression compression,
                         const ByteSink& sink, const std::stop_token& stop);

/// Writes a tar archive of the entries.
///
/// @errors  as WriteLayer.
Status WriteTar(FileSystem& fs, std::vector<Entry> entries, const ByteSink& sink,
                const std::stop_token& stop);

/// A new folder where the parts of an image lie until they are sent. What was left beside it a day
/// ago, by who was killed, goes.
///
/// @param folder  that it is made in; made when it is absent.
Result<TempDir> MakeScratch(FileSystem& fs, Clock& clock, const Path& folder);

}  // namespace kinetic::oci

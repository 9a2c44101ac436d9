#pragma once

#include "kinetic/image.h"
#include "kinetic/result.h"

#include "base/files/file_system.h"
#include "base/files/temp_dir.h"
#include "base/time/clock.h"
#include "oci/format/descriptor.h"
#include "oci/layer/byte_sink.h"
#include "oci/layer/tar_writer.h"

#include <stop_token>
#include <vector>

namespace kinetic::oci {

/// Writes a layer in one pass and bounded memory.
///
/// @param entries  in any order.
/// @errors  those of FileSystem and the sink; kAborted: a file changed while it was read;
///          kInvalidArgument: as NormalizeEntries; kCancelled.
Result<Layer> WriteLayer(FileSystem& fs, std::vector<Entry> entries, ImageCompression compression,
                         const ByteSink& sink, const std::stop_token& stop);

/// Writes a tar archive of the entries.
///
/// @errors  as WriteLayer.
Status WriteTar(FileSystem& fs, std::vector<Entry> entries, const ByteSink& sink,
                const std::stop_token& stop);

/// Creates a temporary folder for parts of an image. Removes folders beside it that a killed process
/// left more than a day ago.
///
/// @param folder  the parent folder, created if missing.
Result<TempDir> MakeScratchFolder(FileSystem& fs, Clock& clock, const Path& folder);

}  // namespace kinetic::oci

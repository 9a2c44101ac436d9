#pragma once

#include "kinetic/result.h"

#include "base/files/file_system.h"
#include "oci/format/descriptor.h"
#include "oci/registry/repository.h"

#include <cstdint>
#include <stop_token>

namespace kinetic::oci {

/// Writes a blob into a new file, which is there in the end only if it is that blob.
///
/// @errors  those of Repository::ReadBlob and of FileSystem.
Status FetchBlob(FileSystem& fs, const Repository& from, const Descriptor& blob, const Path& file,
                 std::stop_token stop);

/// Puts a blob of one repository into another one: by the registry itself where both are of the
/// same, else through a file, in bounded memory. Nothing is sent before it is known to be that
/// blob.
///
/// @param   scratch  a folder for the file, which is gone in the end; made when it is absent.
/// @returns how many bytes were sent; none when the blob is there already.
/// @errors  those of Repository and of FileSystem.
Result<std::uint64_t> CopyBlob(FileSystem& fs, const Repository& from, const Repository& to,
                               const Descriptor& blob, const Path& scratch, std::stop_token stop);

}  // namespace kinetic::oci

#include "kinetic/try.h"

#include "base/files/temp_dir.h"
#include "http/body.h"
#include "http/url.h"
#include "oci/layer/byte_sink.h"
#include "oci/registry/access.h"
#include "oci/registry/repository.h"

#include <tuple>
#include <utility>

namespace kinetic::oci {
namespace {

/// @returns whether the blob exists now.
Result<bool> TryMount(const Repository& from, const Repository& to, const Descriptor& blob,
                      std::stop_token stop) {
  if (!http::IsSameOrigin(from.registry().url, to.registry().url)) return false;
  auto mounted = to.MountBlob(blob, from.name(), std::move(stop));
  if (mounted) return mounted;
  const ErrorCode code = mounted.error().code;
  // A login that may not mount may still read and write.
  if (code != ErrorCode::kUnavailable && code != ErrorCode::kCancelled) return false;
  return mounted;
}

}  // namespace

Status FetchBlob(FileSystem& fs, const Repository& from, const Descriptor& blob, const Path& file,
                 std::stop_token stop) {
  KINETIC_ASSIGN_OR_RETURN(FileSink sink, FileSink::Create(fs, file));
  const auto write = [&](std::string_view piece) { return sink.Write(piece); };
  auto read = from.ReadBlob(blob, write, std::move(stop));
  if (!read) std::ignore = fs.Unlink(file);
  return read;
}

Result<std::uint64_t> CopyBlob(FileSystem& fs, const Repository& from, const Repository& to,
                               const Descriptor& blob, const Path& scratch, std::stop_token stop) {
  KINETIC_ASSIGN_OR_RETURN(const bool exists, to.HasBlob(blob.digest, stop));
  if (exists) return 0U;
  KINETIC_ASSIGN_OR_RETURN(const bool was_mounted, TryMount(from, to, blob, stop));
  if (was_mounted) return 0U;
  KINETIC_RETURN_IF_ERROR(MakeDirectories(fs, scratch));
  KINETIC_ASSIGN_OR_RETURN(const TempDir folder, TempDir::Make(fs, scratch, "blob-"));
  const Path file = folder.path() / blob.digest.Hex();
  KINETIC_RETURN_IF_ERROR(FetchBlob(fs, from, blob, file, stop));
  KINETIC_ASSIGN_OR_RETURN(const auto body, http::FileBody::Open(fs, file));
  KINETIC_ASSIGN_OR_RETURN(const bool sent, to.UploadBlob(blob, body, std::move(stop)));
  return sent ? blob.size_bytes : 0U;
}

}  // namespace kinetic::oci

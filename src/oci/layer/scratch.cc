#include "kinetic/try.h"

#include "oci/layer/writer.h"

#include <chrono>
#include <tuple>

namespace kinetic::oci {

Result<TempDir> MakeScratchFolder(FileSystem& fs, Clock& clock, const Path& folder) {
  // Longer than any upload of an image.
  constexpr std::chrono::hours kMaxUploadTime{24};
  KINETIC_RETURN_IF_ERROR(MakeDirectories(fs, folder));
  std::ignore = RemoveOlderThan(fs, folder, clock.Now() - kMaxUploadTime);
  return TempDir::Make(fs, folder, "image-");
}

}  // namespace kinetic::oci

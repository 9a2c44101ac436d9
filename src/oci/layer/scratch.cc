#include "base/try.h"
#include "oci/layer/writer.h"

#include <chrono>
#include <tuple>

namespace kinetic::oci {

Result<TempDir> MakeScratch(FileSystem& fs, Clock& clock, const Path& folder) {
  // Longer than anybody sends one image.
  constexpr std::chrono::hours kAbandoned{24};
  KINETIC_RETURN_IF_ERROR(MakeDirectories(fs, folder));
  std::ignore = RemoveOlderThan(fs, folder, clock.Now() - kAbandoned);
  return TempDir::Make(fs, folder, "image-");
}

}  // namespace kinetic::oci

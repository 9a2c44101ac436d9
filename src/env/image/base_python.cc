#include "kinetic/try.h"

#include "env/image/registry_images.h"
#include "json/document.h"
#include "oci/layer/writer.h"
#include "oci/registry/repository.h"

#include <utility>
#include <vector>

namespace kinetic::env {
namespace {

constexpr std::int64_t kKnownBaseVersion = 1;
constexpr std::uint64_t kMaxKnownBaseBytes = 1U << 16;

Path CachedPythonPath(const ToolOptions& tools, const RegistryBaseImage& base,
                      const std::string& python) {
  return tools.cache_dir / kKnownBasesFolder / (base.image.digest.Hex() + "-" + python + ".json");
}

std::optional<oci::ImagePython> ReadCachedPython(FileSystem& fs, const Path& file) {
  const auto json = ReadFile(fs, file, kMaxKnownBaseBytes);
  if (!json) return std::nullopt;
  const auto value = json::ReadDocument(*json, "known base");
  if (!value) return std::nullopt;
  json::ObjectReader reader(*value, "known base");
  if (reader.Int("version") != kKnownBaseVersion) return std::nullopt;
  oci::ImagePython found{reader.String("interpreter"), reader.Bool("has_glibc")};
  if (!reader.Finish()) return std::nullopt;
  return found;
}

/// Errors are ignored.
void WriteCachedPython(FileSystem& fs, const Path& file, const oci::ImagePython& found) {
  if (!MakeDirectories(fs, file.parent_path())) return;
  (void)WriteFileAtomically(fs, file,
                            json::WriteDocument(Value::Map{{"version", Value(kKnownBaseVersion)},
                                                           {"interpreter", found.path},
                                                           {"has_glibc", found.has_glibc}}));
}

}  // namespace

Result<oci::ImagePython> FindBasePython(const ToolOptions& tools, const RegistryBaseImage& base,
                                        const std::string& python, std::stop_token stop) {
  FileSystem& fs = *tools.fs;
  const Path file = CachedPythonPath(tools, base, python);
  if (auto known = ReadCachedPython(fs, file)) return *std::move(known);
  KINETIC_ASSIGN_OR_RETURN(
      const TempDir scratch,
      oci::MakeScratchFolder(fs, *tools.clock, tools.cache_dir / kImageScratchFolder));
  std::vector<Path> layers;
  for (const auto& blob : base.image.layers) {
    layers.push_back(scratch.path() / blob.digest.Hex());
    KINETIC_RETURN_IF_ERROR(oci::FetchBlob(fs, *base.repository, blob, layers.back(), stop));
  }
  auto found = oci::FindImagePython(fs, layers, base.image, python, stop);
  if (!found) return found;
  WriteCachedPython(fs, file, *found);
  return found;
}

}  // namespace kinetic::env

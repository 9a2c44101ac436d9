#include "local/job_cache.h"

#include "kinetic/try.h"

#include <chrono>
#include <string_view>

namespace kinetic::local {
namespace {

/// NLTK ignores the folder of NLTK_DATA unless it exists.
constexpr std::string_view kNltkFolder = "nltk_data";

/// Returns the size of the files below a path. Jobs may remove files meanwhile, and a folder that a
/// job made unreadable counts as empty.
std::uint64_t SizeBelow(FileSystem& fs, const Path& path) {
  const auto status = fs.Lstat(path);
  if (!status) return 0;
  if (status->type == FileType::kRegular) return status->size_bytes;
  if (status->type != FileType::kDirectory) return 0;
  const auto entries = fs.ReadDirectory(path);
  if (!entries) return 0;
  std::uint64_t bytes = 0;
  for (const auto& entry : *entries) bytes += SizeBelow(fs, path / entry.name);
  return bytes;
}

}  // namespace

Path JobCacheFolder(const Path& cache_dir) {
  return cache_dir.empty() ? Path() : cache_dir / "job-cache";
}

Status PrepareJobCache(FileSystem& fs, Clock& clock, const Path& folder) {
  KINETIC_RETURN_IF_ERROR(MakeDirectories(fs, folder, 0700));
  // The user may have replaced it by a link to a folder that does not exist now.
  if (!fs.Lstat(folder / kNltkFolder)) {
    const Status made = fs.MakeDirectory(folder / kNltkFolder, 0700);
    // Another job may have created it.
    if (!made && made.error().code != ErrorCode::kAlreadyExists) return made;
  }
  return fs.SetModifiedTime(folder, clock.Now());
}

void AddJobCache(const Path& folder, std::map<std::string, std::string>& environment) {
  environment.emplace("XDG_CACHE_HOME", folder.native());
  const Path general = environment.at("XDG_CACHE_HOME");
  environment.emplace("HF_HOME", (general / "huggingface").native());
  environment.emplace("TORCH_HOME", (general / "torch").native());
  environment.emplace("KERAS_HOME", (folder / "keras").native());
  environment.emplace("KAGGLEHUB_CACHE", (folder / "kagglehub").native());
  environment.emplace("NLTK_DATA", (folder / kNltkFolder).native());
}

Result<std::vector<JobCachePart>> ListJobCache(FileSystem& fs, const Path& folder) {
  std::vector<JobCachePart> parts;
  const auto entries = fs.ReadDirectory(folder);
  if (!entries && entries.error().code == ErrorCode::kNotFound) return parts;
  KINETIC_RETURN_IF_ERROR(entries);
  for (const auto& entry : *entries) {
    if (entry.type == FileType::kSymlink) continue;
    const Path path = folder / entry.name;
    const std::uint64_t bytes = SizeBelow(fs, path);
    if (bytes > 0) parts.push_back({path, bytes});
  }
  return parts;
}

Result<std::optional<WallTime>> LastUseOfJobCache(FileSystem& fs, const Path& folder) {
  const auto status = fs.Lstat(folder);
  if (!status && status.error().code == ErrorCode::kNotFound) return std::nullopt;
  KINETIC_RETURN_IF_ERROR(status);
  return std::optional(status->ModifiedTime());
}

}  // namespace kinetic::local

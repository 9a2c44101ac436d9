#include "runner/outcome/downloaded_files.h"

#include "kinetic/try.h"

#include "base/strings.h"
#include "local/job_cache.h"
#include "local/outputs.h"
#include "store/object.h"

#include <sys/stat.h>

#include <algorithm>
#include <array>
#include <cerrno>
#include <iterator>
#include <string_view>
#include <utility>

namespace kinetic::runner {
namespace {

/// A model or dataset.
struct Model {
  DownloadSelection found;
  std::uint64_t bytes = 0;
  std::int64_t used_ns = 0;  ///< the last access or change
  bool is_used = false;      ///< by the program, as far as access times tell
  bool is_storable = true;
};
using Models = std::map<std::string, Model>;

/// Returns whether a file is part of a download that has not ended, or coordinates downloads.
bool IsTransient(std::string_view path) {
  constexpr std::array<std::string_view, 6> kEnds{".incomplete", ".lock",    ".archive",
                                                  ".part",       ".partial", ".tmp"};
  return std::ranges::any_of(Split(path, '/'), [&](std::string_view part) {
    return std::ranges::any_of(kEnds, [&](std::string_view end) { return part.ends_with(end); });
  });
}

/// Returns the first `count` parts of a path.
std::string_view FirstParts(std::string_view path, int count) {
  std::size_t end = 0;
  for (int i = 0; i < count; ++i) {
    end = path.find('/', i == 0 ? 0 : end + 1);
    if (end == std::string_view::npos) return path;
  }
  return path.substr(0, end);
}

void Add(FoundDownload found, const FetchedDownloads& fetched, Model& model) {
  model.is_storable = model.is_storable && store::CheckName(found.path).has_value();
  if (!found.target.empty()) {
    model.found.links.push_back(std::move(found));
    return;
  }
  const auto before = fetched.find(found.path);
  const bool is_new = before == fetched.end() || !before->second.IsSame(found.status);
  const bool is_read = !is_new && before->second.accessed_ns != found.accessed_ns;
  model.is_used = model.is_used || is_new || is_read;
  model.used_ns = std::max({model.used_ns, found.status.mtime_ns, found.accessed_ns});
  model.bytes += found.status.size_bytes;
  model.found.files.push_back(std::move(found));
}

/// Returns whether the program has read a file that was fetched.
bool HasReadFetched(const Models& models, const FetchedDownloads& fetched) {
  return std::ranges::any_of(models, [&](const auto& entry) {
    return std::ranges::any_of(entry.second.found.files, [&](const FoundDownload& found) {
      const auto before = fetched.find(found.path);
      return before != fetched.end() && before->second.IsSame(found.status) &&
             before->second.accessed_ns != found.accessed_ns;
    });
  });
}

Result<Models> ScanModels(const local::ProgramFiles& files, const Path& folder,
                          const FetchedDownloads& fetched, const std::stop_token& stop) {
  Models models;
  for (const local::ModelFolder& top : local::kModelFolders) {
    const std::string prefix = std::string(top.path) + "/";
    const auto parent = files.fs().Lstat((folder / top.path).parent_path());
    if (!parent || parent->type != FileType::kDirectory) continue;
    KINETIC_ASSIGN_OR_RETURN(const auto scan,
                             local::ScanOutputs(files, folder / top.path, stop, "model folder"));
    if (scan.failure) continue;  // parts of models would be missing
    for (const local::ScannedOutput& file : scan.files) {
      if (IsTransient(file.path) || IsTransient(file.destination)) continue;
      std::string target = file.IsLink() ? local::RelativeTarget(file.path, file.destination) : "";
      Model& model = models[prefix + std::string(FirstParts(file.path, top.depth))];
      FoundDownload found{prefix + file.path, std::move(target), file.status};
      if (!file.IsLink())
        found.accessed_ns = AccessTime(files.fs(), folder / found.path).value_or(0);
      Add(std::move(found), fetched, model);
    }
  }
  return models;
}

}  // namespace

Result<std::int64_t> AccessTime(FileSystem& fs, const Path& file) {
  // Opening a file is no access.
  KINETIC_ASSIGN_OR_RETURN(const UniqueFd fd, fs.Open(file, OpenMode::kReadWithoutWaiting, 0));
  struct stat status{};
  if (::fstat(fd.get(), &status) < 0) return Failure(ErrnoError(errno, "checking", file));
  return status.st_atim.tv_sec * 1'000'000'000 + status.st_atim.tv_nsec;
}

Result<DownloadSelection> SelectDownloads(const local::ProgramFiles& files, const Path& folder,
                                          const FetchedDownloads& fetched,
                                          const DownloadSelection::Limits& limits,
                                          const std::stop_token& stop) {
  KINETIC_ASSIGN_OR_RETURN(Models models, ScanModels(files, folder, fetched, stop));
  const bool all_used = !HasReadFetched(models, fetched);
  std::vector<Model*> ordered;
  for (auto& [path, model] : models) {
    if (model.is_storable && (model.is_used || all_used)) ordered.push_back(&model);
  }
  std::ranges::sort(ordered, std::ranges::greater(), &Model::used_ns);
  DownloadSelection selected;
  std::uint64_t bytes = 0;
  for (Model* model : ordered) {
    const bool fits =
        bytes + model->bytes <= limits.all_bytes &&
        selected.files.size() + model->found.files.size() + model->found.links.size() <=
            limits.all_files;
    if (!fits) continue;
    bytes += model->bytes;
    std::ranges::move(model->found.files, std::back_inserter(selected.files));
    std::ranges::move(model->found.links, std::back_inserter(selected.links));
  }
  std::ranges::sort(selected.files, {}, &FoundDownload::path);
  return selected;
}

}  // namespace kinetic::runner

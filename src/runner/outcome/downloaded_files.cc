#include "runner/outcome/downloaded_files.h"

#include "kinetic/try.h"

#include "base/strings.h"
#include "local/outputs.h"
#include "store/object.h"

#include <fmt/format.h>

#include <sys/stat.h>

#include <algorithm>
#include <array>
#include <cerrno>
#include <iterator>
#include <optional>
#include <set>
#include <span>
#include <string_view>
#include <utility>

namespace kinetic::runner {
namespace {

/// A folder of models. It has no credentials: the tokens of Hugging Face are in "huggingface", and
/// the metadata of datasets can contain URLs with tokens.
struct ModelFolder {
  std::string_view path;
  std::string_view start;  ///< of the names of models
  int depth;               ///< of a model: 2 for kagglehub/models/OWNER/MODEL
  bool fetches_each_file;  ///< the library fetches single files that are missing
};
constexpr std::array<ModelFolder, 3> kModelFolders{{{"huggingface/hub", "models--", 1, true},
                                                    {"kagglehub/models", "", 2, false},
                                                    {"keras/models", "", 1, false}}};

struct Model {
  DownloadSelection found;
  std::uint64_t bytes = 0;
  std::int64_t used_ns = 0;  ///< the last access or change
  bool is_used = false;      ///< by the program, as far as access times tell
  bool is_storable = true;
};
using Models = std::map<std::string, Model>;

/// Returns whether a file belongs to an unfinished download, or is a lock of one.
bool IsTransient(const ModelFolder& top, std::string_view path) {
  constexpr std::array<std::string_view, 6> kEnds{".incomplete", ".lock",    ".archive",
                                                  ".part",       ".partial", ".tmp"};
  const std::span ends(kEnds.data(), top.fetches_each_file ? 1 : kEnds.size());
  return std::ranges::any_of(Split(path, '/'), [&](std::string_view part) {
    return std::ranges::any_of(ends, [&](std::string_view end) { return part.ends_with(end); });
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

/// Returns the model of a path in a folder of models, or nullopt.
std::optional<std::string> ModelIn(const ModelFolder& top, std::string_view path) {
  if (path.empty() || !path.starts_with(top.start)) return std::nullopt;
  return fmt::format("{}/{}", top.path, FirstParts(path, top.depth));
}

/// Returns the model of a path in the folder of all downloads, or nullopt.
std::optional<std::string> ModelOf(std::string_view path) {
  for (const ModelFolder& top : kModelFolders) {
    if (path.starts_with(top.path) && path.substr(top.path.size()).starts_with('/'))
      return ModelIn(top, path.substr(top.path.size() + 1));
  }
  return std::nullopt;
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

/// Returns nullopt if the program has not created the folder.
Result<std::optional<local::OutputScan>> Scan(const local::ProgramFiles& files, const Path& folder,
                                              const std::stop_token& stop) {
  const auto parent = files.fs().Lstat(folder.parent_path());
  if (!parent && parent.error().code == ErrorCode::kNotFound) return std::nullopt;
  KINETIC_RETURN_IF_ERROR(parent);
  if (parent->type != FileType::kDirectory) {
    return Fail(ErrorCode::kFailedPrecondition,
                folder.parent_path().native() + ": the program has replaced this folder");
  }
  KINETIC_ASSIGN_OR_RETURN(auto scan, local::ScanOutputs(files, folder, stop, "model folder"));
  if (scan.failure) return Failure(*std::move(scan.failure));
  return std::optional(std::move(scan));
}

Status AddModels(const local::ProgramFiles& files, const Path& folder, const ModelFolder& top,
                 const FetchedDownloads& fetched, Models& models, const std::stop_token& stop) {
  KINETIC_ASSIGN_OR_RETURN(const auto scan, Scan(files, folder / top.path, stop));
  if (!scan) return {};
  const auto leave_out = [&](std::string_view path) {
    const auto model = ModelIn(top, path);
    if (model && !top.fetches_each_file) models[*model].is_storable = false;
  };
  for (const std::string& path_and_reason : scan->skipped) leave_out(path_and_reason);
  for (const local::ScannedOutput& file : scan->files) {
    const auto model = ModelIn(top, file.path);
    if (!model) continue;
    const bool leaves_model = file.IsLink() && ModelIn(top, file.destination) != model;
    if (leaves_model || IsTransient(top, file.path) || IsTransient(top, file.destination)) {
      leave_out(file.path);
      continue;
    }
    FoundDownload found{fmt::format("{}/{}", top.path, file.path), {}, file.status};
    if (file.IsLink()) {
      found.target = local::RelativeTarget(file.path, file.destination);
    } else {
      found.accessed_ns = AccessTime(files.fs(), folder / found.path).value_or(0);
    }
    Add(std::move(found), fetched, models[*model]);
  }
  return {};
}

}  // namespace

Result<std::int64_t> AccessTime(FileSystem& fs, const Path& file) {
  // Opening a file is no access.
  KINETIC_ASSIGN_OR_RETURN(const UniqueFd fd, fs.Open(file, OpenMode::kReadWithoutWaiting, 0));
  struct stat status{};
  if (::fstat(fd.get(), &status) < 0) return Failure(ErrnoError(errno, "checking", file));
  return status.st_atim.tv_sec * 1'000'000'000 + status.st_atim.tv_nsec;
}

Status CheckModelPaths(const record::Downloads& downloads) {
  std::set<std::string_view> paths;
  const auto check = [&](std::string_view path, bool is_in_model) -> Status {
    if (!is_in_model)
      return Fail(ErrorCode::kDataLoss, Printable(path) + ": not in a folder of models");
    if (!paths.insert(path).second)
      return Fail(ErrorCode::kDataLoss, Printable(path) + ": listed twice");
    return {};
  };
  for (const auto& file : downloads.files) {
    KINETIC_RETURN_IF_ERROR(check(file.path, ModelOf(file.path).has_value()));
  }
  for (const auto& [path, target] : downloads.links) {
    const auto model = ModelOf(path);
    const auto destination = local::DestinationOf(path, target);
    const bool is_in_model = model && destination && ModelOf(*destination) == model;
    KINETIC_RETURN_IF_ERROR(check(path, is_in_model));
  }
  return {};
}

Result<DownloadSelection> SelectDownloads(const local::ProgramFiles& files, const Path& folder,
                                          const FetchedDownloads& fetched,
                                          const DownloadSelection::Limits& limits,
                                          const std::stop_token& stop) {
  Models models;
  for (const ModelFolder& top : kModelFolders) {
    KINETIC_RETURN_IF_ERROR(AddModels(files, folder, top, fetched, models, stop));
  }
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

#include "runner/copy/serve.h"

#include "kinetic/try.h"

#include "base/concurrency/parallel.h"
#include "base/strings.h"
#include "local/copies.h"
#include "local/follow_path.h"
#include "local/job_path.h"
#include "local/output_links.h"
#include "local/outputs.h"
#include "record/object_names.h"
#include "runner/copy/file_writer.h"

#include <fmt/format.h>

#include <algorithm>
#include <map>
#include <optional>
#include <utility>
#include <vector>

namespace kinetic::runner {
namespace {

using local::Destination;
using local::JobPath;
using local::LocatedPath;

constexpr std::size_t kThreads = 8;
constexpr std::size_t kShownSkipped = 20;

/// One request, below the folder of the job that its path is in.
class Copy {
 public:
  Copy(const CopiedJob& job, const std::string& id, CopyCounter& counter,
       const std::stop_token& stop)
      : job_(job),
        fs_(job.files.fs()),
        prefix_(record::CopiedFilesFolder(job.record.id, id)),
        counter_(counter),
        stop_(stop) {}

  Result<record::CopyAnswer> Download(const JobPath& path, const LocatedPath& place) {
    Enter(place);
    const auto found = local::FollowPath(fs_, root_, place.path);
    if (!found) return Missing(place.path);
    const bool is_folder = found->status.type == FileType::kDirectory;
    if (!is_folder && path.names_folder) return NotFolder(found->path);
    if (is_folder) return DownloadFolder(In(found->path));
    if (found->status.type != FileType::kRegular) {
      return Fail(ErrorCode::kFailedPrecondition,
                  Shown(found->path) + " is neither a file nor a folder");
    }
    counter_.total_bytes = found->status.size_bytes;
    const Path file = In(found->path);
    return Store(file.parent_path(),
                 {{.path = file.filename(), .status = found->status, .destination = {}}},
                 {.path = file.native()});
  }

  Result<record::CopyAnswer> Upload(const JobPath& path, const LocatedPath& place,
                                    const record::CopyRequest& request) {
    Enter(place);
    KINETIC_ASSIGN_OR_RETURN(const Path target, Target(path, place.path, request));
    const auto there = fs_.Lstat(target);
    const bool is_folder = there && there->type == FileType::kDirectory;
    if (is_folder && !request.is_folder) {
      return Fail(ErrorCode::kFailedPrecondition,
                  fmt::format("cannot replace the folder {} by a file", ShownPath(target)));
    }
    if (there && !is_folder && request.is_folder) {
      return Fail(ErrorCode::kFailedPrecondition,
                  fmt::format("cannot replace {} by a folder", ShownPath(target)));
    }
    return Receive(target, request.is_folder);
  }

 private:
  Path In(const std::string& relative) const { return relative.empty() ? root_ : root_ / relative; }
  void Enter(const LocatedPath& place) {
    root_ = place.root;
    shown_ = place.shown;
  }

  /// Returns a path as users write it.
  std::string Shown(const std::string& relative) const {
    const std::string& workdir = job_.record.spec.workdir.native();
    const bool is_relative = shown_.empty() && !workdir.empty();
    if (is_relative && relative.starts_with(workdir + "/")) {
      return Printable(relative.substr(workdir.size() + 1));
    }
    if (relative.empty()) return shown_.empty() ? "the working folder" : Printable(shown_);
    return Printable(shown_.empty() ? relative : shown_ + "/" + relative);
  }

  std::string ShownPath(const Path& path) const {
    return Shown(path.lexically_relative(root_).native());
  }

  Failure NotFolder(const std::string& relative) const {
    return Fail(ErrorCode::kFailedPrecondition, Shown(relative) + " is not a folder");
  }

  /// Returns the error for a path that leads nowhere, with the nearest name in the last folder that
  /// exists.
  Failure Missing(const std::string& relative) const {
    std::string parent;
    std::string name;
    std::optional<Destination> folder = Destination{{}, {.type = FileType::kDirectory}};
    for (const std::string_view part : Split(relative, '/')) {
      const std::string next =
          parent.empty() ? std::string(part) : fmt::format("{}/{}", parent, part);
      const auto found = local::FollowPath(fs_, root_, next);
      name = part;
      if (!found) break;
      parent = next;
      folder = found;
    }
    if (folder->status.type != FileType::kDirectory) return NotFolder(folder->path);
    const std::string missing = folder->path.empty() ? name : folder->path + "/" + name;
    const auto link = fs_.Lstat(In(missing));
    if (link && link->type == FileType::kSymlink) {
      return Fail(ErrorCode::kFailedPrecondition,
                  fmt::format("{} is a link to a missing file, or to one outside of {}",
                              Shown(missing), Shown({})));
    }
    return Fail(ErrorCode::kNotFound,
                fmt::format("{} does not exist in job {}", Shown(missing), job_.record.id),
                Advice(relative, In(folder->path), name));
  }

  /// Returns the hint for a missing path: the nearest name, or the folder of the same name in the
  /// working folder.
  std::string Advice(const std::string& relative, const Path& folder,
                     const std::string& name) const {
    if (shown_ == "outputs" || shown_ == "checkpoints") {
      const Path work = job_.runtime.Work() / job_.record.spec.workdir;
      const std::string same = shown_ + "/" + relative;
      if (local::FollowPath(fs_, work, same)) {
        return fmt::format("for {0} in the working folder, write ./{0}", Printable(same));
      }
    }
    return NearestIn(folder, name);
  }

  std::string NearestIn(const Path& folder, const std::string& name) const {
    const auto entries = fs_.ReadDirectory(folder);
    if (!entries) return {};
    std::vector<std::string> names;
    names.reserve(entries->size());
    for (const auto& entry : *entries) names.push_back(entry.name);
    const auto nearest = Nearest(name, names);
    return nearest ? fmt::format("did you mean '{}'?", Printable(*nearest)) : std::string();
  }

  Result<record::CopyAnswer> DownloadFolder(const Path& folder) {
    KINETIC_ASSIGN_OR_RETURN(auto scan,
                             local::ScanOutputs(job_.files, folder, stop_, "copied folder"));
    if (scan.failure) return Failure(*std::move(scan.failure));
    std::uint64_t total = 0;
    for (const auto& file : scan.files) {
      if (file.status.type == FileType::kRegular) total += file.status.size_bytes;
    }
    counter_.total_bytes = total;
    record::CopyAnswer answer;
    answer.is_folder = true;
    answer.path = folder.native();
    const std::size_t skipped = scan.skipped.size();
    scan.skipped.resize(std::min(skipped, kShownSkipped));
    answer.skipped = std::move(scan.skipped);
    if (skipped > kShownSkipped) {
      answer.skipped.push_back(fmt::format("{} more entries", skipped - kShownSkipped));
    }
    return Store(folder, scan.files, std::move(answer));
  }

  local::OnCopied Count() {
    return [this](std::uint64_t bytes) { counter_.done_bytes += bytes; };
  }

  Result<record::CopyAnswer> Store(const Path& folder,
                                   const std::vector<local::ScannedOutput>& files,
                                   record::CopyAnswer answer) {
    KINETIC_ASSIGN_OR_RETURN(const auto stored, local::StoreCopies(job_.store, fs_, folder, files,
                                                                   {prefix_, Count()}, stop_));
    answer.files = stored.files;
    answer.bytes = stored.bytes;
    return answer;
  }

  /// Returns the path that the source of an upload gets, by the rules of `cp`.
  Result<Path> Target(const JobPath& path, const std::string& relative,
                      const record::CopyRequest& request) const {
    const auto found = local::FollowPath(fs_, root_, relative);
    if (found && found->status.type == FileType::kDirectory) {
      return request.name.empty() ? In(found->path) : In(found->path) / request.name;
    }
    if (path.names_folder && (found || !request.is_folder)) {
      return found ? NotFolder(found->path) : Missing(relative);
    }
    if (found) return In(found->path);
    const std::size_t slash = relative.rfind('/');
    const std::string parent = slash == std::string::npos ? "" : relative.substr(0, slash);
    const auto folder = local::FollowPath(fs_, root_, parent);
    if (!folder) return Missing(parent);
    if (folder->status.type != FileType::kDirectory) return NotFolder(folder->path);
    Path target = In(folder->path) / relative.substr(slash == std::string::npos ? 0 : slash + 1);
    // A link that leads nowhere is not replaced.
    if (fs_.Lstat(target)) return Missing(relative);
    return target;
  }

  /// Writes the stored files to `target`: one file, or the files of a folder.
  Result<record::CopyAnswer> Receive(const Path& target, bool is_folder) {
    std::vector<store::ObjectInfo> objects;
    std::map<std::string, local::OutputKind> kinds;
    const auto take = [&](const store::ObjectInfo& object) -> Result<bool> {
      kinds.emplace(local::DecodeObjectPath(object.name.substr(prefix_.size())),
                    local::OutputKindOf(object.metadata));
      counter_.total_bytes += object.size_bytes;
      objects.push_back(object);
      return true;
    };
    KINETIC_RETURN_IF_ERROR(job_.store.List(prefix_, "", take, stop_));
    if (!is_folder && objects.size() != 1) {
      return Fail(ErrorCode::kDataLoss, "the copied file is missing in the store");
    }
    const FileWriter writer(job_.files);
    if (is_folder) KINETIC_RETURN_IF_ERROR(writer.MakeFolder(target));
    const local::LinkSelection links = local::SelectLinks(kinds);
    const auto write = [&](std::size_t i, const std::stop_token& stop) -> Status {
      const std::string path = local::DecodeObjectPath(objects[i].name.substr(prefix_.size()));
      if (links.links.contains(path) || links.ignored.contains(path)) return {};
      return writer.Write(job_.store, objects[i], is_folder ? target / path : target, Count(),
                          stop);
    };
    KINETIC_RETURN_IF_ERROR(ParallelFor(kThreads, objects.size(), stop_, write));
    KINETIC_RETURN_IF_ERROR(local::CreateOutputLinks(fs_, target, links.links));
    return record::CopyAnswer{.is_folder = is_folder,
                              .path = target.native(),
                              .files = objects.size(),
                              .bytes = counter_.done_bytes};
  }

  const CopiedJob& job_;
  FileSystem& fs_;
  const std::string prefix_;
  CopyCounter& counter_;
  const std::stop_token& stop_;
  Path root_;
  std::string shown_;  ///< how users write root_
};

}  // namespace

Result<record::CopyAnswer> ServeCopy(const CopiedJob& job, const std::string& id,
                                     const record::CopyRequest& request, CopyCounter& counter,
                                     const std::stop_token& stop) {
  record::CopyRequest decoded = request;
  decoded.name = local::DecodeObjectPath(request.name);
  if (decoded.name == ".." || decoded.name.find('/') != std::string::npos) {
    return Fail(ErrorCode::kInvalidArgument, "invalid name of a copied file");
  }
  const std::string text = local::DecodeObjectPath(request.path);
  KINETIC_ASSIGN_OR_RETURN(const JobPath path, local::ParseJobPath(text));
  KINETIC_ASSIGN_OR_RETURN(const LocatedPath place,
                           local::Locate(path, job.runtime, job.record.spec.workdir.native()));
  Copy copy(job, id, counter, stop);
  auto answer = request.is_upload ? copy.Upload(path, place, decoded) : copy.Download(path, place);
  if (!answer) return answer;
  answer->job = KeyOf(job.record);
  answer->path = local::EncodeObjectPath(answer->path);
  return answer;
}

}  // namespace kinetic::runner

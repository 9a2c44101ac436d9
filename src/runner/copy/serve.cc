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
#include "runner/copy/path_errors.h"

#include <fmt/format.h>

#include <algorithm>
#include <iterator>
#include <map>
#include <utility>
#include <vector>

namespace kinetic::runner {
namespace {

using local::JobPath;
using local::LocatedPath;

constexpr std::size_t kThreads = 8;
constexpr std::size_t kShownSkipped = 20;

/// One request, below the folder of the job that its path is in.
class Copy {
 public:
  Copy(const CopiedJob& job, const std::string& id, const LocatedPath& place, CopyCounter& counter,
       const std::stop_token& stop)
      : job_(job),
        fs_(job.files.fs()),
        prefix_(record::CopiedFilesFolder(job.record.id, id)),
        place_(place),
        errors_(job, place),
        counter_(counter),
        stop_(stop) {}

  Result<record::CopyAnswer> Download(const JobPath& path) {
    const auto found = local::FollowPath(fs_, place_.root, place_.path);
    if (!found) return errors_.Missing(place_.path);
    const bool is_folder = found->status.type == FileType::kDirectory;
    if (!is_folder && path.names_folder) return errors_.NotFolder(found->path);
    if (is_folder) return DownloadFolder(In(found->path));
    if (found->status.type != FileType::kRegular) {
      return Fail(ErrorCode::kFailedPrecondition,
                  errors_.Shown(found->path) + " is neither a file nor a folder");
    }
    counter_.total_bytes = found->status.size_bytes;
    const Path file = In(found->path);
    const Path folder = file.parent_path();
    const std::vector<local::ScannedOutput> files{
        {.path = file.filename(), .status = found->status, .destination = {}}};
    return Store({fs_, folder, files}, {.path = file.native()});
  }

  Result<record::CopyAnswer> Upload(const JobPath& path, const record::CopyRequest& request) {
    KINETIC_ASSIGN_OR_RETURN(const Path target, Target(path, request));
    const auto there = fs_.Lstat(target);
    const std::string shown = errors_.Shown(target.lexically_relative(place_.root).native());
    const bool is_folder = there && there->type == FileType::kDirectory;
    if (is_folder && !request.is_folder) {
      return Fail(ErrorCode::kFailedPrecondition,
                  fmt::format("cannot replace the folder {} with a file", shown));
    }
    if (there && !is_folder && there->type != FileType::kRegular) {
      return Fail(ErrorCode::kFailedPrecondition, shown + " is not a regular file");
    }
    if (there && !is_folder && request.is_folder) {
      return Fail(ErrorCode::kFailedPrecondition,
                  fmt::format("cannot replace {} with a folder", shown));
    }
    return Receive(target, request.is_folder);
  }

 private:
  Path In(const std::string& relative) const {
    return relative.empty() ? place_.root : place_.root / relative;
  }

  Result<record::CopyAnswer> DownloadFolder(const Path& folder) {
    KINETIC_ASSIGN_OR_RETURN(auto scan,
                             local::ScanOutputs(job_.files, folder, stop_, "copied folder"));
    KINETIC_RETURN_IF_ERROR(local::SkipFailure(scan));
    std::uint64_t total = 0;
    for (const auto& file : scan.files) {
      if (file.status.type == FileType::kRegular) total += file.status.size_bytes;
    }
    counter_.total_bytes = total;
    record::CopyAnswer answer;
    answer.is_folder = true;
    answer.path = folder.native();
    answer.skipped = std::move(scan.skipped);
    return Store({fs_, folder, scan.files, true}, std::move(answer));
  }

  local::OnCopied Count() {
    return [this](std::uint64_t bytes) { counter_.done_bytes += bytes; };
  }

  Result<record::CopyAnswer> Store(const local::CopySource& source, record::CopyAnswer answer) {
    KINETIC_ASSIGN_OR_RETURN(auto stored,
                             local::StoreCopies(job_.store, source, {prefix_, Count()}, stop_));
    answer.files = stored.files;
    answer.bytes = stored.bytes;
    auto& skipped = answer.skipped;
    std::ranges::move(stored.skipped, std::back_inserter(skipped));
    if (skipped.size() > kShownSkipped) {
      const std::size_t more = skipped.size() - kShownSkipped;
      skipped.resize(kShownSkipped);
      skipped.push_back(fmt::format("{} more entries", more));
    }
    return answer;
  }

  /// Returns the path that the source of an upload gets, by the rules of `cp`.
  Result<Path> Target(const JobPath& path, const record::CopyRequest& request) const {
    const std::string& relative = place_.path;
    const auto found = local::FollowPath(fs_, place_.root, relative);
    if (found && found->status.type == FileType::kDirectory) {
      return request.name.empty() ? In(found->path) : In(found->path) / request.name;
    }
    if (path.names_folder && (found || !request.is_folder)) {
      return found ? errors_.NotFolder(found->path) : errors_.Missing(relative);
    }
    if (found) return In(found->path);
    const std::size_t slash = relative.rfind('/');
    const std::string parent = slash == std::string::npos ? "" : relative.substr(0, slash);
    const auto folder = local::FollowPath(fs_, place_.root, parent);
    if (!folder) return errors_.Missing(parent);
    if (folder->status.type != FileType::kDirectory) return errors_.NotFolder(folder->path);
    Path target = In(folder->path) / relative.substr(slash == std::string::npos ? 0 : slash + 1);
    // A link that leads nowhere is not replaced.
    if (fs_.Lstat(target)) return errors_.Missing(relative);
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
    const FileWriter writer(job_.files, job_.runtime.folder);
    if (is_folder) KINETIC_RETURN_IF_ERROR(writer.MakeFolder(target));
    const auto links = is_folder ? local::SelectLinks(kinds) : local::LinkSelection();
    const auto write = [&](std::size_t i, const std::stop_token& stop) -> Status {
      const std::string path = local::DecodeObjectPath(objects[i].name.substr(prefix_.size()));
      if (links.links.contains(path) || links.ignored.contains(path)) return {};
      return writer.Write(job_.store, objects[i], is_folder ? target / path : target, Count(),
                          stop);
    };
    KINETIC_RETURN_IF_ERROR(ParallelFor(kThreads, objects.size(), stop_, write));
    for (const auto& [path, destination] : links.links) {
      KINETIC_RETURN_IF_ERROR(writer.MakeFolder((target / path).parent_path()));
    }
    KINETIC_RETURN_IF_ERROR(local::CreateOutputLinks(fs_, target, links.links));
    return record::CopyAnswer{.is_folder = is_folder,
                              .path = target.native(),
                              .files = objects.size(),
                              .bytes = counter_.done_bytes};
  }

  const CopiedJob& job_;
  FileSystem& fs_;
  const std::string prefix_;
  const LocatedPath& place_;
  const PathErrors errors_;
  CopyCounter& counter_;
  const std::stop_token& stop_;
};

}  // namespace

Result<record::CopyAnswer> ServeCopy(const CopiedJob& job, const std::string& id,
                                     const record::CopyRequest& request, CopyCounter& counter,
                                     const std::stop_token& stop) {
  record::CopyRequest decoded = request;
  decoded.name = local::DecodeObjectPath(request.name);
  const bool is_name = decoded.name != "." && decoded.name != ".." &&
                       decoded.name.find('/') == std::string::npos &&
                       decoded.name.find('\0') == std::string::npos;
  if (!is_name) {
    return Fail(ErrorCode::kInvalidArgument, "invalid name of a copied file");
  }
  const std::string text = local::DecodeObjectPath(request.path);
  KINETIC_ASSIGN_OR_RETURN(const JobPath path, local::ParseJobPath(text));
  KINETIC_ASSIGN_OR_RETURN(const LocatedPath place,
                           local::Locate(path, job.runtime, job.record.spec.workdir.native()));
  Copy copy(job, id, place, counter, stop);
  auto answer = request.is_upload ? copy.Upload(path, decoded) : copy.Download(path);
  if (!answer) return answer;
  answer->job = KeyOf(job.record);
  answer->path = local::EncodeObjectPath(answer->path);
  return answer;
}

}  // namespace kinetic::runner

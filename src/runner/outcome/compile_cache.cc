#include "runner/outcome/compile_cache.h"

#include "kinetic/try.h"

#include "base/concurrency/parallel.h"
#include "base/strings.h"
#include "runner/diagnostics.h"
#include "store/age.h"
#include "store/source.h"

#include <fmt/format.h>

#include <algorithm>
#include <utility>

namespace kinetic::runner {
namespace {

constexpr std::size_t kCacheThreads = 16;
/// Older leases are renewed, so that programs in use are kept.
constexpr std::chrono::hours kFreshLease{24 * 6};

/// Excludes the access times that JAX stores beside its files, and temporary files.
bool IsCompiled(std::string_view name) {
  return !name.empty() && !name.starts_with('.') && !name.ends_with("-atime") &&
         !name.ends_with(".tmp") && name.find('/') == std::string_view::npos;
}

}  // namespace

CompileCache::CompileCache(JobStore::Dependencies deps, Locations locations, Limits limits)
    : deps_(deps), locations_(std::move(locations)), limits_(limits) {}

Result<std::vector<store::ObjectInfo>> CompileCache::List(const std::stop_token& stop) {
  std::vector<store::ObjectInfo> objects;
  const auto take = [&](const store::ObjectInfo& object) -> Result<bool> {
    const std::string name = object.name.substr(locations_.prefix.size());
    if (!IsCompiled(name)) return true;
    known_.insert(name);
    stored_bytes_ += object.size_bytes;
    objects.push_back(object);
    return true;
  };
  KINETIC_RETURN_IF_ERROR(deps_.store.List(locations_.prefix, "", take, stop));
  std::ranges::sort(objects, [](const store::ObjectInfo& left, const store::ObjectInfo& right) {
    return left.lease != right.lease ? left.lease > right.lease : left.name < right.name;
  });
  return objects;
}

/// Removes the file if it is incomplete.
Status CompileCache::Get(const store::ObjectInfo& object, const std::stop_token& stop) const {
  const Path file = locations_.folder / object.name.substr(locations_.prefix.size());
  KINETIC_ASSIGN_OR_RETURN(const UniqueFd fd, deps_.fs.Open(file, OpenMode::kTruncate, 0600));
  const auto write = [&](std::string_view piece) { return deps_.fs.Write(fd.get(), piece); };
  const auto got = deps_.store.Get(object.name, {}, write, stop);
  if (got && *got) return {};
  (void)deps_.fs.Unlink(file);
  return got ? Status() : Failure(got.error());
}

Result<std::optional<std::string>> CompileCache::Fetch(std::stop_token stop) {
  if (locations_.prefix.empty()) return std::nullopt;
  KINETIC_RETURN_IF_ERROR(RemoveTree(deps_.fs, locations_.folder));
  KINETIC_RETURN_IF_ERROR(MakeDirectories(deps_.fs, locations_.folder, 0700));
  known_.clear();
  stored_bytes_ = 0;
  KINETIC_ASSIGN_OR_RETURN(auto objects, List(stop));
  std::uint64_t bytes = 0;
  const auto beyond = std::ranges::find_if(objects, [&](const store::ObjectInfo& object) {
    bytes += object.size_bytes;
    return bytes > limits_.all_bytes;
  });
  if (beyond != objects.end()) bytes -= beyond->size_bytes;
  objects.erase(beyond, objects.end());
  if (objects.empty()) return std::nullopt;
  KINETIC_ASSIGN_OR_RETURN(const WallTime now, deps_.store.ExactNow(stop));
  const auto get = [&](std::size_t i, const std::stop_token& stopping) -> Status {
    KINETIC_RETURN_IF_ERROR(Get(objects[i], stopping));
    if (store::IsFresh(objects[i].lease, now, kFreshLease)) return {};
    KINETIC_RETURN_IF_ERROR(deps_.store.Touch(objects[i].name, {}, stopping));
    return {};
  };
  KINETIC_RETURN_IF_ERROR(ParallelFor(kCacheThreads, objects.size(), stop, get));
  return fmt::format("{} compiled {}, {}", objects.size(),
                     objects.size() == 1 ? "program" : "programs", FormatBytes(bytes));
}

Status CompileCache::Resume(std::stop_token stop) {
  if (locations_.prefix.empty()) return {};
  KINETIC_RETURN_IF_ERROR(List(stop));
  return {};
}

Status CompileCache::Poll(std::stop_token stop) { return StoreNew(kCompiledQuiet, stop); }

Status CompileCache::Finish(bool killed, std::stop_token stop) {
  return StoreNew(killed ? kCompiledQuiet : std::chrono::seconds(0), stop);
}

Status CompileCache::Open(std::optional<std::uint32_t> user) {
  if (locations_.prefix.empty()) return {};
  KINETIC_ASSIGN_OR_RETURN(
      files_, local::ProgramFiles::Open(deps_.fs, locations_.folder.parent_path(), user));
  return {};
}

Status CompileCache::StoreNew(std::chrono::seconds quiet, const std::stop_token& stop) {
  if (locations_.prefix.empty()) return {};
  if (!files_) KINETIC_RETURN_IF_ERROR(Open(std::nullopt));
  FileSystem& fs = files_->fs();
  KINETIC_ASSIGN_OR_RETURN(const auto entries, fs.ReadDirectory(locations_.folder));
  for (const auto& entry : entries) {
    if (!IsCompiled(entry.name) || known_.contains(entry.name)) continue;
    const Path file = locations_.folder / entry.name;
    const auto status = fs.Lstat(file);
    if (!status || !files_->MayRead(*status) || status->type != FileType::kRegular) continue;
    const auto age =
        deps_.clock.Now().time_since_epoch() - std::chrono::nanoseconds(status->mtime_ns);
    if (quiet.count() > 0 && age < quiet) continue;
    known_.insert(entry.name);
    if (status->size_bytes > limits_.file_bytes) continue;
    if (stored_bytes_ + status->size_bytes > limits_.all_bytes) continue;
    KINETIC_ASSIGN_OR_RETURN(auto source, store::FileSource::Open(fs, file));
    const auto put = deps_.store.Put(locations_.prefix + entry.name, source,
                                     store::Precondition::Absent(), {}, stop);
    if (!put) {
      known_.erase(entry.name);
      return Failure(put.error());
    }
    stored_bytes_ += status->size_bytes;
  }
  return {};
}

}  // namespace kinetic::runner

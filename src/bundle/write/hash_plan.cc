#include "kinetic/try.h"

#include "base/concurrency/parallel.h"
#include "base/strings.h"
#include "bundle/format/tree.h"
#include "bundle/source/file_reader.h"
#include "bundle/source/walk.h"
#include "bundle/write/content_writer.h"
#include "bundle/write/stat_cache.h"

#include <mutex>
#include <utility>

namespace kinetic::bundle {
namespace {

TreeEntry MakeEntry(const SourceEntry& source) {
  TreeEntry entry;
  entry.path = source.path;
  entry.type = source.type;
  if (source.type == BundleEntry::Type::kSymlink) {
    entry.link_target = source.link_target;
    entry.size_bytes = source.link_target.size();
    entry.content = Sha256::Of(source.link_target);
  } else if (source.type == BundleEntry::Type::kFile) {
    entry.executable = source.executable;
    entry.size_bytes = source.status.size_bytes;
  }
  return entry;
}

}  // namespace

void HashPlan::RecordHash(std::size_t i, const FileContent& content, const Workspace& workspace) {
  TreeEntry& entry = entries[i];
  entry.content = content.digest;
  entry.size_bytes = content.status.size_bytes;
  states[i].known = true;
  states[i].changed = content.changed;
  ++files_read;
  bytes_read += entry.size_bytes;
  workspace.source.entries[i].status = content.status;
  if (!content.changed) workspace.cache.Insert(entry.path, content.status, content.digest);
}

Status HashPlan::DropRemoved(const Workspace& workspace, std::vector<std::string>& removed) {
  for (std::size_t i = 0; i < entries.size(); ++i) {
    if (states[i].removed) removed.push_back(entries[i].path);
  }
  const auto drop = [](auto& all, const auto& is_removed) {
    std::size_t kept = 0;
    for (std::size_t i = 0; i < all.size(); ++i) {
      if (is_removed(i)) continue;
      if (kept != i) all[kept] = std::move(all[i]);
      ++kept;
    }
    all.resize(kept);
  };
  const auto is_removed = [this](std::size_t i) { return states[i].removed; };
  drop(entries, is_removed);
  drop(workspace.source.entries, is_removed);
  drop(states, is_removed);
  if (!entries.empty() || removed.empty()) return {};
  return Fail(ErrorCode::kAborted,
              "all files in " + Printable(workspace.source.root.native()) +
                  " were removed while they were read",
              "run the command again when no process is removing files");
}

std::optional<Digest> CachedTreeDigest(const SourceTree& tree, const StatCache& cache) {
  TreeHasher hasher;
  const Digest nothing = Sha256::Of({});
  for (const SourceEntry& source : tree.entries) {
    std::optional<Digest> content = nothing;
    if (source.type == BundleEntry::Type::kSymlink) {
      content = Sha256::Of(source.link_target);
    } else if (source.type == BundleEntry::Type::kFile && source.status.size_bytes > 0) {
      content = cache.Find(source.path, source.status);
    }
    if (!content) return std::nullopt;
    hasher.Add(source.path, source.type, source.executable, *content);
  }
  return hasher.Finish();
}

std::optional<Digest> FindUnchangedTree(const Workspace& workspace) {
  const auto last = workspace.cache.last_tree();
  return last && CachedTreeDigest(workspace.source, workspace.cache) == last ? last : std::nullopt;
}

Result<HashPlan> MakeHashPlan(const Workspace& workspace) {
  const auto& sources = workspace.source.entries;
  HashPlan plan;
  plan.entries.reserve(sources.size());
  plan.states.resize(sources.size());
  const Digest nothing = Sha256::Of({});
  for (std::size_t i = 0; i < sources.size(); ++i) {
    TreeEntry& entry = plan.entries.emplace_back(MakeEntry(sources[i]));
    if (entry.type == BundleEntry::Type::kEmptyFolder || entry.size_bytes == 0) {
      entry.content = nothing;
      continue;
    }
    if (entry.type != BundleEntry::Type::kFile) continue;
    plan.content_bytes += entry.size_bytes;
    if (const auto digest = workspace.cache.Find(entry.path, sources[i].status)) {
      entry.content = *digest;
      continue;
    }
    plan.states[i].known = false;
    plan.unknown_bytes += entry.size_bytes;
    plan.unknown_large |= entry.size_bytes >= kLargeFileBytes;
  }
  KINETIC_RETURN_IF_ERROR(CheckEntries(plan.entries));
  return plan;
}

Status HashUnknownFiles(const Workspace& workspace, std::size_t threads, bool hold, HashPlan& plan,
                        std::stop_token stop) {
  std::vector<std::size_t> unknown;
  for (std::size_t i = 0; i < plan.states.size(); ++i) {
    if (!plan.states[i].known) unknown.push_back(i);
  }
  std::mutex mutex;
  const auto hash = [&](std::size_t item, std::stop_token inner) -> Status {
    const std::size_t i = unknown[item];
    std::string bytes;
    const auto content = HashFile(workspace.fs, workspace.source, workspace.source.entries[i],
                                  bytes, std::move(inner));
    const std::lock_guard lock(mutex);
    plan.states[i].removed = !content && content.error().code == ErrorCode::kNotFound;
    if (plan.states[i].removed) return {};
    if (!content) return Failure(content.error());
    plan.RecordHash(i, *content, workspace);
    if (hold) plan.states[i].held = std::move(bytes);
    return {};
  };
  if (threads == 0) threads = ProcessorCount();
  KINETIC_RETURN_IF_ERROR(ParallelFor(threads, unknown.size(), std::move(stop), hash));
  plan.unknown_bytes = 0;
  plan.unknown_large = false;
  return {};
}

}  // namespace kinetic::bundle

#include "kinetic/try.h"

#include "base/concurrency/parallel.h"
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

void HashPlan::RecordHash(std::size_t i, const FileContent& content, StatCache& cache) {
  TreeEntry& entry = entries[i];
  entry.content = content.digest;
  entry.size_bytes = content.status.size_bytes;
  known[i] = true;
  ++files_read;
  bytes_read += entry.size_bytes;
  cache.Insert(entry.path, content.status, content.digest);
}

std::optional<Digest> FindUnchangedTree(const Workspace& workspace) {
  const auto last = workspace.cache.last_tree();
  if (!last) return std::nullopt;
  TreeHasher hasher;
  const Digest nothing = Sha256::Of({});
  for (const SourceEntry& source : workspace.source.entries) {
    std::optional<Digest> content = nothing;
    if (source.type == BundleEntry::Type::kSymlink) {
      content = Sha256::Of(source.link_target);
    } else if (source.type == BundleEntry::Type::kFile && source.status.size_bytes > 0) {
      content = workspace.cache.Find(source.path, source.status);
    }
    if (!content) return std::nullopt;
    hasher.Add(source.path, source.type, source.executable, *content);
  }
  return hasher.Finish() == *last ? last : std::nullopt;
}

Result<HashPlan> MakeHashPlan(const Workspace& workspace) {
  const auto& sources = workspace.source.entries;
  HashPlan plan;
  plan.entries.reserve(sources.size());
  plan.known.assign(sources.size(), true);
  plan.held.resize(sources.size());
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
    plan.known[i] = false;
    plan.unknown_bytes += entry.size_bytes;
    plan.unknown_large |= entry.size_bytes >= kLargeFileBytes;
  }
  KINETIC_RETURN_IF_ERROR(CheckEntries(plan.entries));
  return plan;
}

Status HashUnknownFiles(const Workspace& workspace, std::size_t threads, bool hold, HashPlan& plan,
                        std::stop_token stop) {
  std::vector<std::size_t> unknown;
  for (std::size_t i = 0; i < plan.known.size(); ++i) {
    if (!plan.known[i]) unknown.push_back(i);
  }
  std::mutex mutex;
  const auto hash = [&](std::size_t item, std::stop_token inner) -> Status {
    const std::size_t i = unknown[item];
    std::string bytes;
    KINETIC_ASSIGN_OR_RETURN(const FileContent content,
                             HashFile(workspace.fs, workspace.source, workspace.source.entries[i],
                                      bytes, std::move(inner)));
    const std::lock_guard lock(mutex);
    plan.RecordHash(i, content, workspace.cache);
    if (hold) plan.held[i] = std::move(bytes);
    return {};
  };
  if (threads == 0) threads = ProcessorCount();
  KINETIC_RETURN_IF_ERROR(ParallelFor(threads, unknown.size(), std::move(stop), hash));
  plan.unknown_bytes = 0;
  plan.unknown_large = false;
  return {};
}

}  // namespace kinetic::bundle

#include "bundle/survey.h"

#include "base/parallel.h"
#include "base/try.h"
#include "bundle/chunk.h"
#include "bundle/source_tree.h"
#include "bundle/stat_cache.h"
#include "bundle/tree_check.h"

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

void Survey::Note(std::size_t i, const FileContent& content, StatCache& cache) {
  TreeEntry& entry = entries[i];
  entry.content = content.digest;
  entry.size_bytes = content.status.size_bytes;
  known[i] = true;
  ++files_read;
  bytes_read += entry.size_bytes;
  cache.Insert(entry.path, content.status, content.digest);
}

Result<Survey> LookAt(const Workspace& workspace) {
  const auto& sources = workspace.source.entries;
  Survey survey;
  survey.entries.reserve(sources.size());
  survey.known.assign(sources.size(), true);
  survey.held.resize(sources.size());
  const Digest nothing = Sha256::Of({});
  for (std::size_t i = 0; i < sources.size(); ++i) {
    TreeEntry& entry = survey.entries.emplace_back(MakeEntry(sources[i]));
    if (entry.type == BundleEntry::Type::kEmptyFolder || entry.size_bytes == 0) {
      entry.content = nothing;
      continue;
    }
    if (entry.type != BundleEntry::Type::kFile) continue;
    survey.content_bytes += entry.size_bytes;
    if (const auto digest = workspace.cache.Find(entry.path, sources[i].status)) {
      entry.content = *digest;
      continue;
    }
    survey.known[i] = false;
    survey.unknown_bytes += entry.size_bytes;
    survey.unknown_large |= entry.size_bytes >= kLargeFileBytes;
  }
  KINETIC_RETURN_IF_ERROR(CheckEntries(survey.entries));
  return survey;
}

Status HashUnknown(const Workspace& workspace, std::size_t threads, bool hold, Survey& survey,
                   std::stop_token stop) {
  std::vector<std::size_t> unknown;
  for (std::size_t i = 0; i < survey.known.size(); ++i) {
    if (!survey.known[i]) unknown.push_back(i);
  }
  std::mutex mutex;
  const auto hash = [&](std::size_t item, std::stop_token inner) -> Status {
    const std::size_t i = unknown[item];
    std::string bytes;
    KINETIC_ASSIGN_OR_RETURN(const FileContent content,
                             HashFile(workspace.fs, workspace.source, workspace.source.entries[i],
                                      bytes, std::move(inner)));
    const std::lock_guard lock(mutex);
    survey.Note(i, content, workspace.cache);
    if (hold) survey.held[i] = std::move(bytes);
    return {};
  };
  if (threads == 0) threads = ProcessorCount();
  KINETIC_RETURN_IF_ERROR(Parallel(threads, unknown.size(), std::move(stop), hash));
  survey.unknown_bytes = 0;
  survey.unknown_large = false;
  return {};
}

}  // namespace kinetic::bundle

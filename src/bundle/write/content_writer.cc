#include "bundle/write/content_writer.h"

#include "kinetic/try.h"

#include "base/concurrency/parallel.h"
#include "bundle/source/walk.h"

#include <unordered_set>
#include <utility>

namespace kinetic::bundle {
namespace {

Failure Stopped() { return Fail(ErrorCode::kCancelled, "stopped"); }

}  // namespace

ContentWriter::ContentWriter(const Workspace& workspace, const PreviousTree* previous,
                             HashPlan& plan, FrameBuilder& frame_builder)
    : workspace_(workspace), previous_(previous), plan_(plan), frame_builder_(frame_builder) {
  Plan();
}

bool ContentWriter::IsLarge(std::size_t i) const {
  return plan_.entries[i].size_bytes >= kLargeFileBytes;
}

void ContentWriter::Plan() {
  std::unordered_set<Digest> planned;
  std::uint64_t batch_bytes = kFrameBytes;
  for (std::size_t i = 0; i < plan_.entries.size(); ++i) {
    const TreeEntry& entry = plan_.entries[i];
    if (entry.type != BundleEntry::Type::kFile || entry.size_bytes == 0) continue;
    if (plan_.states[i].known) {
      if (previous_ != nullptr && previous_->FindFile(entry.content) != nullptr) continue;
      if (!planned.insert(entry.content).second) continue;
    }
    if (IsLarge(i) || batch_bytes >= kFrameBytes) {
      batches_.emplace_back();
      batch_bytes = 0;
    }
    batches_.back().push_back(i);
    batch_bytes += IsLarge(i) ? kFrameBytes : entry.size_bytes;
  }
}

Status ContentWriter::Write(std::size_t threads, std::stop_token stop) {
  return ParallelFor(threads != 0 ? threads : ProcessorCount(), batches_.size(), std::move(stop),
                     [this](std::size_t number, std::stop_token inner) {
                       const Batch& batch = batches_[number];
                       return IsLarge(batch.front()) ? WriteLarge(batch.front(), number, inner)
                                                     : WriteSmall(batch, number, inner);
                     });
}

Status ContentWriter::WriteSmall(const Batch& batch, std::uint64_t number,
                                 const std::stop_token& stop) {
  std::string bytes;
  std::vector<std::optional<FileContent>> contents(batch.size());
  std::uint64_t expected = 0;
  for (const std::size_t i : batch) expected += plan_.entries[i].size_bytes;
  bytes.reserve(expected);
  for (std::size_t k = 0; k < batch.size(); ++k) {
    const std::size_t i = batch[k];
    if (!plan_.states[i].held.empty()) continue;
    auto content =
        HashFile(workspace_.fs, workspace_.source, workspace_.source.entries[i], bytes, stop);
    // AddLarge handles files that are now large or removed.
    if (content && content->status.size_bytes < kLargeFileBytes) contents[k] = *content;
    if (!content && content.error().code != ErrorCode::kNotFound) {
      return Failure(std::move(content).error());
    }
  }
  if (!gate_.Enter(number, stop)) return Stopped();
  std::string_view left = bytes;
  for (std::size_t k = 0; k < batch.size(); ++k) {
    const std::size_t i = batch[k];
    if (const std::string held = std::exchange(plan_.states[i].held, {}); !held.empty()) {
      KINETIC_RETURN_IF_ERROR(frame_builder_.Add(plan_.entries[i].content, held));
      continue;
    }
    if (!contents[k]) {
      KINETIC_RETURN_IF_ERROR(AddLarge(i, stop));
      continue;
    }
    const std::size_t size = contents[k]->status.size_bytes;
    KINETIC_RETURN_IF_ERROR(AddContent(i, *contents[k], left.substr(0, size)));
    left.remove_prefix(size);
  }
  gate_.Leave();
  return {};
}

Status ContentWriter::AddContent(std::size_t i, const FileContent& content,
                                 std::string_view bytes) {
  plan_.RecordHash(i, content, workspace_);
  if (bytes.empty()) return {};
  if (previous_ != nullptr && previous_->FindFile(content.digest) != nullptr) return {};
  return frame_builder_.Add(content.digest, bytes);
}

Status ContentWriter::WriteLarge(std::size_t i, std::uint64_t number, const std::stop_token& stop) {
  if (!gate_.Enter(number, stop)) return Stopped();
  KINETIC_RETURN_IF_ERROR(AddLarge(i, stop));
  gate_.Leave();
  return {};
}

Status ContentWriter::AddLarge(std::size_t i, const std::stop_token& stop) {
  std::vector<Piece> pieces;
  const auto sink = [&](const Digest& digest, Buffer chunk, bool compressible) {
    pieces.push_back({digest, chunk.size()});
    const Extent* old = previous_ != nullptr ? previous_->FindPiece(digest) : nullptr;
    if (old != nullptr && !old->IsInline()) return Status();
    return frame_builder_.AddChunk(digest, std::move(chunk), compressible);
  };
  const auto content = ReadLargeFile(workspace_.fs, workspace_.source, workspace_.source.entries[i],
                                     buffers_, {[&] { pieces.clear(); }, sink}, stop);
  plan_.states[i].removed = !content && content.error().code == ErrorCode::kNotFound;
  if (plan_.states[i].removed) return {};
  if (!content) return Failure(content.error());
  plan_.RecordHash(i, *content, workspace_);
  chunks_.emplace(content->digest, std::move(pieces));
  return {};
}

auto ContentWriter::FindChunks(const Digest& content) const -> const std::vector<Piece>* {
  const auto found = chunks_.find(content);
  return found == chunks_.end() ? nullptr : &found->second;
}

}  // namespace kinetic::bundle

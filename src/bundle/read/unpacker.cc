#include "bundle/read/unpacker.h"

#include "kinetic/try.h"

#include "base/concurrency/parallel.h"
#include "base/concurrency/pipeline.h"
#include "base/files/copy_content.h"
#include "base/strings.h"
#include "bundle/read/tree_loader.h"

#include <fmt/format.h>

#include <algorithm>
#include <atomic>
#include <memory>
#include <utility>
#include <vector>

namespace kinetic::bundle {
namespace {

constexpr std::uint32_t kFolderMode = 0755;

std::uint32_t ModeOf(const TreeEntry& entry) { return entry.executable ? 0755 : 0644; }

/// Unpacks one tree. Creates folders first and links last, so that files are not written through
/// links.
class TreeUnpacker {
 public:
  TreeUnpacker(store::Store& store, const Destination& destination, const Tree& tree,
               const UnpackOptions& options)
      : store_(store),
        fs_(destination.fs),
        root_(destination.folder.native() + "/"),
        tree_(tree),
        threads_(options.threads != 0 ? options.threads : ProcessorCount()),
        originals_(options.originals),
        plan_(PlanUnpacking(tree)),
        on_bytes_(options.on_bytes),
        budget_(options.memory_bytes) {}

  Result<UnpackReport> Run(std::stop_token stop) {
    KINETIC_RETURN_IF_ERROR(CreateFolders());
    if (originals_ != nullptr) KINETIC_RETURN_IF_ERROR(CopyOriginals(stop));
    KINETIC_RETURN_IF_ERROR(CreateChunkedFiles());
    KINETIC_RETURN_IF_ERROR(ParallelFor(threads_, plan_.batches.size(), stop,
                                        [this](std::size_t i, std::stop_token inner) {
                                          return UnpackOneBatch(plan_.batches[i], inner);
                                        }));
    KINETIC_RETURN_IF_ERROR(ParallelFor(
        threads_, plan_.chunked_files.size(), stop, [this](std::size_t i, std::stop_token inner) {
          return VerifyChunkedFile(tree_.entries[plan_.chunked_files[i]], inner);
        }));
    for (const std::uint32_t i : plan_.links) {
      KINETIC_RETURN_IF_ERROR(
          fs_.MakeSymlink(tree_.entries[i].link_target, PathOf(tree_.entries[i].path)));
    }
    return UnpackReport{.files = files_,
                        .links = plan_.links.size(),
                        .folders = plan_.folders.size(),
                        .content_bytes = content_bytes_,
                        .stored_bytes = stored_bytes_,
                        .copied_files = copied_files_};
  }

 private:
  Path PathOf(std::string_view path) const { return {std::string(root_).append(path)}; }

  /// Finds out whether the umask clears mode bits of a bundle's files.
  Status ProbeUmask() {
    const Path probe = PathOf(".kinetic-probe");
    KINETIC_RETURN_IF_ERROR(fs_.MakeDirectory(probe, kFolderMode));
    const auto status = fs_.Lstat(probe);
    KINETIC_RETURN_IF_ERROR(fs_.RemoveDirectory(probe));
    if (!status) return Failure(status.error());
    set_modes_ = (status->mode & 0777U) != kFolderMode;
    return {};
  }

  Status CreateFolders() {
    KINETIC_RETURN_IF_ERROR(ProbeUmask());
    for (const auto folder : plan_.folders) {
      const Path path = PathOf(folder);
      KINETIC_RETURN_IF_ERROR(fs_.MakeDirectory(path, kFolderMode));
      if (set_modes_) KINETIC_RETURN_IF_ERROR(fs_.SetMode(path, kFolderMode));
    }
    return {};
  }

  Result<UniqueFd> CreateFile(const TreeEntry& entry) {
    const Path path = PathOf(entry.path);
    KINETIC_ASSIGN_OR_RETURN(UniqueFd fd, fs_.Open(path, OpenMode::kCreateNew, ModeOf(entry)));
    if (set_modes_) KINETIC_RETURN_IF_ERROR(fs_.SetMode(path, ModeOf(entry)));
    ++files_;
    return fd;
  }

  /// Copies the files that are unchanged since the tree was made, and removes them from the plan.
  Status CopyOriginals(const std::stop_token& stop) {
    std::vector<char> copied(tree_.entries.size());
    KINETIC_RETURN_IF_ERROR(ParallelFor(
        threads_, copied.size(), stop, [&](std::size_t i, const std::stop_token& inner) -> Status {
          const TreeEntry& entry = tree_.entries[i];
          if (entry.extents.empty() || entry.extents[0].IsInline()) return {};
          KINETIC_ASSIGN_OR_RETURN(const bool done, CopyOriginal(entry, inner));
          copied[i] = done ? 1 : 0;
          return {};
        }));
    if (copied_files_ > 0) plan_ = PlanUnpacking(tree_, copied);
    return {};
  }

  /// Returns whether it was copied. If not, the file does not exist.
  Result<bool> CopyOriginal(const TreeEntry& entry, const std::stop_token& stop) {
    const auto original =
        fs_.Open(originals_->folder / entry.path, OpenMode::kReadWithoutWaiting, 0);
    if (!original || !IsOriginal(entry, original->get())) return false;
    KINETIC_ASSIGN_OR_RETURN(const UniqueFd copy, CreateFile(entry));
    const Status done = CopyContent(fs_, original->get(), copy.get(), entry.size_bytes, stop);
    // Its times and size are the same as before, so it has not been changed meanwhile.
    if (done && IsOriginal(entry, original->get())) {
      ++copied_files_;
      content_bytes_ += entry.size_bytes;
      if (on_bytes_) on_bytes_(entry.size_bytes);
      return true;
    }
    --files_;
    KINETIC_RETURN_IF_ERROR(fs_.Unlink(PathOf(entry.path)));
    return false;
  }

  bool IsOriginal(const TreeEntry& entry, int fd) const {
    const auto status = fs_.Fstat(fd);
    return status && status->type == FileType::kRegular && status->size_bytes == entry.size_bytes &&
           originals_->digest_of(entry.path, *status) == entry.content;
  }

  /// Creates chunked files, whose chunks are written in any order. Unwritten chunks remain holes.
  Status CreateChunkedFiles() {
    for (const std::uint32_t i : plan_.chunked_files) {
      KINETIC_ASSIGN_OR_RETURN(const UniqueFd fd, CreateFile(tree_.entries[i]));
      KINETIC_RETURN_IF_ERROR(fs_.Truncate(fd.get(), tree_.entries[i].size_bytes));
    }
    return {};
  }

  Status UnpackOneBatch(const UnpackBatch& batch, const std::stop_token& stop) {
    if (batch.frames.count == 0) return UnpackInline(batch);
    if (!budget_.Acquire(batch.memory_bytes, stop)) {
      return Fail(ErrorCode::kCancelled, "stopped");
    }
    auto done = UnpackFrames(batch, stop);
    budget_.Release(batch.memory_bytes);
    return done;
  }

  Status UnpackInline(const UnpackBatch& batch) {
    const std::string_view bytes = tree_.inline_bytes;
    for (std::size_t k = batch.begin; k < batch.end; ++k) {
      const ExtentUse& use = plan_.uses[k];
      const TreeEntry& entry = tree_.entries[use.entry];
      if (entry.extents.empty()) {
        KINETIC_RETURN_IF_ERROR(CreateFile(entry));
        continue;
      }
      const Extent* verified = nullptr;
      KINETIC_RETURN_IF_ERROR(WriteExtent(use, bytes, verified));
    }
    return {};
  }

  Status UnpackFrames(const UnpackBatch& batch, const std::stop_token& stop) {
    KINETIC_ASSIGN_OR_RETURN(const std::string stored,
                             FetchFrames(store_, tree_, batch.frames, stop));
    stored_bytes_ += stored.size();
    Decompressor decompressor;
    const auto& frames = tree_.packs[batch.frames.pack].frames;
    const std::uint64_t first_offset = frames[batch.frames.first].offset;
    std::size_t k = batch.begin;
    while (k < batch.end) {
      const std::uint32_t number = plan_.uses[k].frame;
      const Frame& frame = frames[number];
      KINETIC_ASSIGN_OR_RETURN(
          const std::string_view content,
          DecompressFrame(
              decompressor, tree_, batch.frames.pack, number,
              std::string_view(stored).substr(frame.offset - first_offset, frame.stored_bytes)));
      const Extent* verified = nullptr;
      for (; k < batch.end && plan_.uses[k].frame == number; ++k) {
        auto written = WriteExtent(plan_.uses[k], content, verified);
        if (!written) return WithFrameContext(std::move(written).error(), batch.frames.pack, frame);
      }
    }
    return {};
  }

  Failure WithFrameContext(Error error, std::uint32_t pack, const Frame& frame) const {
    if (error.code != ErrorCode::kDataLoss) return Failure(std::move(error));
    const std::string digest = tree_.packs[pack].digest.Hex();
    return Failure(std::move(error)
                       .Context(fmt::format("pack {}: frame at byte {}", digest, frame.offset))
                       .With(kPackDetail, digest));
  }

  /// Writes one extent. `verified` is the last verified extent of the frame, so that equal content
  /// is hashed once. Chunked files are verified later, as a whole.
  Status WriteExtent(const ExtentUse& use, std::string_view frame, const Extent*& verified) {
    const TreeEntry& entry = tree_.entries[use.entry];
    const Extent& extent = entry.extents[use.extent];
    const std::string_view bytes = frame.substr(extent.offset, extent.length);
    content_bytes_ += bytes.size();
    if (on_bytes_) on_bytes_(bytes.size());
    if (entry.extents.size() == 1) {
      if (verified == nullptr || !(*verified == extent)) {
        if (Sha256::Of(bytes) != extent.content) {
          return Failure(DigestMismatch(entry.path, extent.content));
        }
        verified = &extent;
      }
      KINETIC_ASSIGN_OR_RETURN(const UniqueFd fd, CreateFile(entry));
      return fs_.Write(fd.get(), bytes);
    }
    if (IsZero(bytes)) return {};
    std::uint64_t offset = 0;
    for (std::uint32_t i = 0; i < use.extent; ++i) offset += entry.extents[i].length;
    KINETIC_ASSIGN_OR_RETURN(const UniqueFd fd,
                             fs_.Open(PathOf(entry.path), OpenMode::kReadWrite, ModeOf(entry)));
    return fs_.WriteAt(fd.get(), bytes, offset);
  }

  /// Verifies a chunked file as a whole, which covers the order of its chunks.
  Status VerifyChunkedFile(const TreeEntry& entry, const std::stop_token& stop) {
    KINETIC_ASSIGN_OR_RETURN(const UniqueFd fd, fs_.Open(PathOf(entry.path), OpenMode::kRead, 0));
    KINETIC_ASSIGN_OR_RETURN(const Digest content, HashRange(fd.get(), 0, entry.size_bytes, stop));
    if (content == entry.content) return {};
    KINETIC_RETURN_IF_ERROR(FindDamagedChunk(entry, fd.get(), stop));
    return Failure(DigestMismatch(entry.path, entry.content));
  }

  /// Fails with the location of the first damaged chunk.
  Status FindDamagedChunk(const TreeEntry& entry, int fd, const std::stop_token& stop) {
    std::uint64_t offset = 0;
    for (const Extent& extent : entry.extents) {
      KINETIC_ASSIGN_OR_RETURN(const Digest content, HashRange(fd, offset, extent.length, stop));
      if (content != extent.content && !extent.IsInline()) {
        return WithFrameContext(DigestMismatch(entry.path, extent.content), extent.pack,
                                tree_.packs[extent.pack].frames[extent.frame]);
      }
      offset += extent.length;
    }
    return {};
  }

  Result<Digest> HashRange(int fd, std::uint64_t offset, std::uint64_t length_bytes,
                           const std::stop_token& stop) {
    constexpr std::size_t kBufferBytes = 1 << 20;
    const auto buffer = std::make_unique_for_overwrite<char[]>(kBufferBytes);
    const std::uint64_t end = offset + length_bytes;
    Sha256 sha;
    while (offset < end) {
      if (stop.stop_requested()) return Fail(ErrorCode::kCancelled, "stopped");
      const std::size_t wanted = std::min<std::uint64_t>(kBufferBytes, end - offset);
      KINETIC_ASSIGN_OR_RETURN(const std::size_t count,
                               fs_.ReadAt(fd, {buffer.get(), wanted}, offset));
      if (count == 0) break;
      sha.Update({buffer.get(), count});
      offset += count;
    }
    return sha.Finish();
  }

  store::Store& store_;
  FileSystem& fs_;
  const std::string root_;
  const Tree& tree_;
  const std::size_t threads_;
  const OriginalFiles* const originals_;
  UnpackPlan plan_;
  const std::function<void(std::uint64_t bytes)>& on_bytes_;
  ByteBudget budget_;
  bool set_modes_ = false;
  std::atomic<std::uint64_t> files_ = 0;
  std::atomic<std::uint64_t> content_bytes_ = 0;
  std::atomic<std::uint64_t> stored_bytes_ = 0;
  std::atomic<std::uint64_t> copied_files_ = 0;
};

Status PrepareFolder(const Destination& destination) {
  auto made = destination.fs.MakeDirectory(destination.folder, kFolderMode);
  if (made || made.error().code != ErrorCode::kAlreadyExists) return made;
  KINETIC_ASSIGN_OR_RETURN(const auto entries, destination.fs.ReadDirectory(destination.folder));
  if (entries.empty()) return {};
  return Fail(ErrorCode::kFailedPrecondition,
              fmt::format("{} is not empty", Printable(destination.folder.native())),
              "unpack into a new folder");
}

Status CheckSize(const Tree& tree, const UnpackOptions& options) {
  std::uint64_t total = 0;  // cannot overflow: at most 2^22 entries of 2^44 bytes
  for (const auto& entry : tree.entries) total += entry.size_bytes;
  if (options.on_total) options.on_total(total);
  const std::uint64_t limit_bytes = options.max_content_bytes;
  if (total <= limit_bytes) return {};
  return Fail(
      ErrorCode::kResourceExhausted,
      fmt::format("its content has {} bytes, more than the limit of {}", total, limit_bytes));
}

}  // namespace

Result<UnpackReport> Unpack(store::Store& store, const Destination& destination, const Digest& tree,
                            const UnpackOptions& options, std::stop_token stop) {
  const auto unpack = [&]() -> Result<UnpackReport> {
    KINETIC_ASSIGN_OR_RETURN(const Tree loaded, LoadTree(store, tree, stop));
    KINETIC_RETURN_IF_ERROR(CheckSize(loaded, options));
    KINETIC_RETURN_IF_ERROR(PrepareFolder(destination));
    return TreeUnpacker(store, destination, loaded, options).Run(stop);
  };
  auto report = unpack();
  if (report || report.error().code == ErrorCode::kCancelled) return report;
  return Failure(
      std::move(report).error().Context(fmt::format("cannot unpack tree {}", tree.Hex())));
}

}  // namespace kinetic::bundle

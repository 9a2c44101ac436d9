#include "gcs/parallel_download.h"

#include "base/parallel.h"
#include "base/try.h"
#include "gcs/parts_journal.h"

#include <algorithm>

namespace kinetic::gcs {
namespace {

constexpr std::size_t kBufferBytes = 1U << 20;

Path Beside(const Path& file, std::string_view suffix) {
  Path path = file;
  path += suffix;
  return path;
}

std::string IdentityOf(const Client& client, const Object& object, std::uint64_t part_bytes) {
  Value identity{Value::Map{}};
  identity.Set("bucket", client.bucket());
  identity.Set("name", object.name);
  identity.Set("generation", object.generation);
  identity.Set("size", std::to_string(object.size_bytes));
  identity.Set("part", std::to_string(part_bytes));
  return identity.ToJson();
}

}  // namespace

/// One file under way.
struct ParallelDownload::Work {
  Work(FileSystem& fs, const Client& client, Object its_object, const Path& target,
       std::uint64_t part_bytes)
      : object(std::move(its_object)),
        partial(Beside(target, ".kinetic-part")),
        journal(fs, Beside(target, ".kinetic-parts"), IdentityOf(client, object, part_bytes)),
        step(part_bytes),
        checksums((object.size_bytes + part_bytes - 1) / part_bytes) {}

  std::uint64_t Begin(std::size_t part) const { return part * step; }
  std::uint64_t Size(std::size_t part) const {
    return std::min(step, object.size_bytes - Begin(part));
  }
  Crc32c Whole() const {
    Crc32c whole;
    for (std::size_t i = 0; i < checksums.size(); ++i) {
      whole = whole.Followed(*checksums[i], Size(i));
    }
    return whole;
  }

  Object object;
  Path partial;
  PartsJournal journal;
  UniqueFd file;
  std::uint64_t step;
  std::vector<std::optional<Crc32c>> checksums;  ///< of the parts that are there
};

Result<bool> ParallelDownload::IsThere(const Work& work, std::size_t part, Crc32c checksum) const {
  std::vector<char> buffer(std::min<std::uint64_t>(kBufferBytes, work.Size(part)));
  Crc32c found;
  for (std::uint64_t at = 0; at < work.Size(part);) {
    const auto wanted = std::min<std::uint64_t>(buffer.size(), work.Size(part) - at);
    KINETIC_ASSIGN_OR_RETURN(
        const std::size_t count,
        fs_->ReadAt(work.file.get(), std::span(buffer).first(wanted), work.Begin(part) + at));
    if (count == 0) return false;
    found.Update({buffer.data(), count});
    at += count;
  }
  return found == checksum;
}

Status ParallelDownload::LoadParts(Work& work, std::stop_token stop) const {
  KINETIC_ASSIGN_OR_RETURN(work.file, fs_->Open(work.partial, OpenMode::kReadWrite, 0644));
  KINETIC_ASSIGN_OR_RETURN(auto noted, work.journal.Load());
  std::erase_if(noted, [&](const auto& part) { return part.first >= work.checksums.size(); });
  const std::vector<std::pair<std::uint64_t, Crc32c>> parts(noted.begin(), noted.end());
  KINETIC_RETURN_IF_ERROR(Parallel(
      options_.connections, parts.size(), std::move(stop),
      [&](std::size_t i, const std::stop_token&) -> Status {
        KINETIC_ASSIGN_OR_RETURN(const bool there, IsThere(work, parts[i].first, parts[i].second));
        if (there) work.checksums[parts[i].first] = parts[i].second;
        return {};
      }));
  std::erase_if(noted, [&](const auto& part) { return !work.checksums[part.first]; });
  for (const auto& [part, checksum] : noted) {
    if (options_.on_bytes) options_.on_bytes(work.Size(part));
  }
  KINETIC_RETURN_IF_ERROR(fs_->Truncate(work.file.get(), work.object.size_bytes));
  return work.journal.Start();
}

Status ParallelDownload::FetchPart(Work& work, std::size_t part, std::stop_token stop) const {
  if (work.checksums[part]) return {};
  Crc32c checksum;
  std::uint64_t at = 0;
  const auto store = [&](std::string_view piece) -> Status {
    if (at + piece.size() > work.Size(part)) {
      return Fail(ErrorCode::kDataLoss,
                  "reading " + work.object.name + ": more than was asked for");
    }
    KINETIC_RETURN_IF_ERROR(fs_->WriteAt(work.file.get(), piece, work.Begin(part) + at));
    checksum.Update(piece);
    at += piece.size();
    if (options_.on_bytes) options_.on_bytes(piece.size());
    return {};
  };
  const ReadOptions range{work.Begin(part), work.Size(part), work.object.generation};
  KINETIC_ASSIGN_OR_RETURN(const auto object,
                           client_->Read(work.object.name, range, store, std::move(stop)));
  if (!object || at != work.Size(part)) {
    return Fail(ErrorCode::kAborted,
                "reading " + work.object.name + ": it was replaced or removed in the midst",
                "fetch it again");
  }
  work.checksums[part] = checksum;
  return work.journal.Add(part, checksum);
}

Status ParallelDownload::FetchParts(Work& work, std::stop_token stop) const {
  KINETIC_RETURN_IF_ERROR(LoadParts(work, stop));
  KINETIC_RETURN_IF_ERROR(Parallel(options_.connections, work.checksums.size(), std::move(stop),
                                   [&](std::size_t part, std::stop_token part_stop) {
                                     return FetchPart(work, part, std::move(part_stop));
                                   }));
  const std::string found = work.Whole().Base64();
  if (work.object.crc32c.empty() || found == work.object.crc32c) return {};
  // Which part it is nobody knows: all of them are fetched again.
  std::fill(work.checksums.begin(), work.checksums.end(), std::nullopt);
  KINETIC_RETURN_IF_ERROR(work.journal.Remove());
  return Fail(ErrorCode::kDataLoss,
              "reading " + work.object.name + ": the CRC32C is " + found +
                  ", and the server says " + work.object.crc32c,
              "fetch it again; if it happens again, the object or the network is damaged");
}

Result<std::optional<Object>> ParallelDownload::Fetch(const std::string& name,
                                                      std::optional<std::int64_t> generation,
                                                      const Path& file,
                                                      std::stop_token stop) const {
  KINETIC_ASSIGN_OR_RETURN(auto object, client_->Stat(name, generation, stop));
  if (!object) return object;
  Work work(*fs_, *client_, *std::move(object), file, options_.part_bytes);
  Status fetched = FetchParts(work, stop);
  const bool damaged = !fetched && fetched.error().code == ErrorCode::kDataLoss;
  if (damaged) fetched = FetchParts(work, std::move(stop));
  KINETIC_RETURN_IF_ERROR(fetched);
  KINETIC_RETURN_IF_ERROR(fs_->Sync(work.file.get()));
  work.file = {};
  KINETIC_RETURN_IF_ERROR(fs_->Rename(work.partial, file));
  KINETIC_RETURN_IF_ERROR(SyncDirectory(*fs_, file.has_parent_path() ? file.parent_path() : "."));
  KINETIC_RETURN_IF_ERROR(work.journal.Remove());
  return std::optional<Object>(std::move(work.object));
}

}  // namespace kinetic::gcs

#include "base/concurrency/parallel.h"
#include "base/hash/digest.h"
#include "base/random.h"
#include "base/strings.h"
#include "base/try.h"
#include "gcs/parallel_transfer.h"
#include "gcs/upload/checked_body.h"
#include "gcs/upload/resumable.h"

#include <algorithm>
#include <map>
#include <utility>

namespace kinetic::gcs {
namespace {

constexpr std::size_t kSources = 32;  ///< the most that one composition joins
/// Two levels of compositions are enough for every size of an object.
constexpr std::uint64_t kParts = kSources * kSources;
/// How often others may store a part that is being stored.
constexpr int kAttempts = 3;

/// Large enough that there are not too many parts, and a multiple of what servers like.
std::uint64_t PartBytes(std::uint64_t wanted, std::uint64_t size) {
  const std::uint64_t least = std::max(wanted, (size + kParts - 1) / kParts);
  return std::max((least + kUploadQuantumBytes - 1) / kUploadQuantumBytes, std::uint64_t{1}) *
         kUploadQuantumBytes;
}

/// Whether the server could not be reached, or would not know who asks.
bool IsAway(ErrorCode code) {
  return code == ErrorCode::kUnavailable || code == ErrorCode::kDeadlineExceeded ||
         code == ErrorCode::kUnauthenticated;
}

std::optional<Crc32c> ChecksumIn(const Object& object) {
  const auto bytes = Base64Decode(object.crc32c);
  if (!bytes || bytes->size() != sizeof(std::uint32_t)) return std::nullopt;
  std::uint32_t value = 0;
  for (const char byte : *bytes) value = value << 8 | static_cast<unsigned char>(byte);
  return Crc32c(value);
}

bool IsAsItWas(const FileStatus& before, const FileStatus& after) {
  return before.size_bytes == after.size_bytes && before.mtime_ns == after.mtime_ns &&
         before.ctime_ns == after.ctime_ns;
}

}  // namespace

/// One file under way.
struct CompositeUpload::Work {
  std::shared_ptr<http::FileBody> file;
  FileStatus status;  ///< of the file, when it was begun
  std::uint64_t size = 0;
  std::uint64_t step = 0;
  std::string name;
  InsertOptions options;
  std::string prefix;                   ///< of the names of its parts
  std::map<std::string, Object> found;  ///< parts that a client before has left, by name
  std::vector<Object> parts;            ///< in order
  std::vector<Crc32c> checksums;

  std::uint64_t Begin(std::size_t part) const { return part * step; }
  std::uint64_t End(std::size_t part) const { return std::min(size, (part + 1) * step); }
  Crc32c Whole() const {
    Crc32c whole;
    for (std::size_t i = 0; i < checksums.size(); ++i) {
      whole = whole.Concat(checksums[i], End(i) - Begin(i));
    }
    return whole;
  }
};

Status CompositeUpload::FindParts(Work& work, std::stop_token stop) const {
  if (work.options.source.empty()) return {};
  const auto each = [&](const Object& object) -> Result<bool> {
    work.found.emplace(object.name, object);
    return true;
  };
  return client_->List({.prefix = work.prefix}, each, nullptr, std::move(stop));
}

Status CompositeUpload::StorePart(Work& work, std::size_t part, std::stop_token stop) const {
  const std::string name = work.prefix + "0-" + std::to_string(part);
  const auto body = work.file->Slice(work.Begin(part), work.End(part));
  const auto found = work.found.find(name);
  auto there = found == work.found.end() ? std::nullopt : std::optional(found->second);
  std::optional<Object> stored;
  for (int attempt = 0; attempt < kAttempts && !stored; ++attempt) {
    if (there) {
      KINETIC_ASSIGN_OR_RETURN(const Crc32c checksum, ChecksumOf(*body));
      const bool same =
          there->size_bytes == body->size_bytes() && there->crc32c == checksum.Base64();
      if (same) stored = there;
      if (same) break;
    }
    const InsertOptions insert{.if_generation = there ? there->generation : 0,
                               .source = work.options.source};
    KINETIC_ASSIGN_OR_RETURN(stored, client_->Insert(name, body, insert, stop));
    if (stored) break;
    // Of a client that does the same now.
    KINETIC_ASSIGN_OR_RETURN(there, client_->Stat(name, stop));
  }
  if (!stored) {
    return Fail(ErrorCode::kAborted, "storing " + work.name + ": somebody else stores the same now",
                "try again");
  }
  // It was compared with what was sent.
  const auto checksum = ChecksumIn(*stored);
  if (!checksum) return Fail(ErrorCode::kDataLoss, "storing " + name + ": it has no CRC32C");
  work.checksums[part] = *checksum;
  work.parts[part] = *std::move(stored);
  if (options_.on_bytes) options_.on_bytes(body->size_bytes());
  return {};
}

Status CompositeUpload::ComposeGroup(Work& work, const std::vector<Object>& parts,
                                     std::size_t group, std::vector<Object>& composed,
                                     std::stop_token stop) const {
  const auto first = parts.begin() + static_cast<std::ptrdiff_t>(group * kSources);
  const auto last = first + std::min<std::ptrdiff_t>(kSources, parts.end() - first);
  KINETIC_ASSIGN_OR_RETURN(auto object,
                           client_->Compose({first, last}, work.prefix + "1-" + RandomId(),
                                            {.if_generation = 0}, std::move(stop)));
  if (!object) return Fail(ErrorCode::kInternal, "a random name is taken already");
  composed[group] = *std::move(object);
  return {};
}

Result<std::vector<Object>> CompositeUpload::ComposeLevel(Work& work,
                                                          const std::vector<Object>& parts,
                                                          std::stop_token stop) const {
  std::vector<Object> composed((parts.size() + kSources - 1) / kSources);
  KINETIC_RETURN_IF_ERROR(ParallelFor(options_.connections, composed.size(), std::move(stop),
                                      [&](std::size_t group, std::stop_token group_stop) {
                                        return ComposeGroup(work, parts, group, composed,
                                                            std::move(group_stop));
                                      }));
  return composed;
}

Result<std::optional<Object>> CompositeUpload::ComposeAll(Work& work, std::vector<Object> parts,
                                                          std::stop_token stop) const {
  while (parts.size() > kSources) {
    KINETIC_ASSIGN_OR_RETURN(parts, ComposeLevel(work, parts, stop));
  }
  KINETIC_ASSIGN_OR_RETURN(auto whole, client_->Compose(parts, work.name, work.options, stop));
  const std::string sent = work.Whole().Base64();
  if (!whole || whole->crc32c.empty() || whole->crc32c == sent) return whole;
  KINETIC_RETURN_IF_ERROR(client_->Delete(work.name, {whole->generation, {}}, std::move(stop)));
  return Fail(ErrorCode::kDataLoss, "storing " + work.name + ": the server's CRC32C is " +
                                        whole->crc32c + ", and what was sent has " + sent);
}

Result<std::optional<Object>> CompositeUpload::StoreParts(Work& work, std::stop_token stop) const {
  KINETIC_RETURN_IF_ERROR(FindParts(work, stop));
  // When one fails, the others under way come to their ends: one that is cut off may yet arrive,
  // and would stay when all are removed.
  KINETIC_RETURN_IF_ERROR(
      ParallelFor(options_.connections, work.parts.size(), stop,
                  [&](std::size_t part, const std::stop_token& /*others_failed*/) {
                    return StorePart(work, part, stop);
                  }));
  KINETIC_ASSIGN_OR_RETURN(const FileStatus now, work.file->Stat());
  if (!IsAsItWas(work.status, now)) {
    return Fail(ErrorCode::kAborted, "storing " + work.name + ": the file changed meanwhile",
                "store it again when it is at rest");
  }
  return ComposeAll(work, work.parts, std::move(stop));
}

Result<std::optional<Object>> CompositeUpload::Store(const std::shared_ptr<http::FileBody>& file,
                                                     const std::string& name,
                                                     const InsertOptions& options,
                                                     std::stop_token stop) const {
  Work work;
  KINETIC_ASSIGN_OR_RETURN(work.status, file->Stat());
  work.file = file;
  work.size = file->size_bytes();
  work.step = PartBytes(options_.part_bytes, work.size);
  if (work.size <= work.step) return client_->Insert(name, file, options, std::move(stop));
  work.name = name;
  work.options = options;
  const std::string key = options.source + " " + std::to_string(work.size) + " " +
                          std::to_string(work.step) + " " + name;
  work.prefix =
      prefix_ + (options.source.empty() ? RandomId() : Sha256::Of(key).Hex().substr(0, 32)) + "/";
  if (options.if_generation == 0) {
    KINETIC_ASSIGN_OR_RETURN(const auto there, client_->Stat(name, stop));
    // One who was killed may have stored it and not removed the parts.
    if (there && !options.source.empty()) Clean(work.prefix);
    if (there) return std::optional<Object>();
  }
  work.parts.resize((work.size + work.step - 1) / work.step);
  work.checksums.resize(work.parts.size());
  auto stored = StoreParts(work, stop);
  const bool can_go_on = !options.source.empty();
  // Who tries again uses what was stored until the server was away.
  if (!stored && can_go_on && IsAway(stored.error().code)) return stored;
  // Also when it was stopped: nothing of it is to stay.
  Clean(work.prefix);
  const bool removed_by_another =
      !stored && can_go_on && stored.error().code == ErrorCode::kNotFound;
  if (!removed_by_another) return stored;
  InsertOptions alone = options;
  alone.source.clear();
  return Store(file, name, alone, std::move(stop));
}

void CompositeUpload::Clean(const std::string& prefix) const {
  std::uint64_t removed_bytes = 0;
  // What cannot be removed now is a leftover.
  (void)RemoveParts(prefix, {}, removed_bytes, {});
}

Status CompositeUpload::RemoveParts(const std::string& prefix, std::optional<WallTime> before,
                                    std::uint64_t& removed_bytes, std::stop_token stop) const {
  std::vector<Doomed> doomed;
  std::vector<std::uint64_t> sizes;
  const auto each = [&](const Object& object) -> Result<bool> {
    if (before && object.updated >= *before) return true;
    doomed.push_back({object.name, {object.generation, {}}});
    sizes.push_back(object.size_bytes);
    return true;
  };
  KINETIC_RETURN_IF_ERROR(client_->List({.prefix = prefix}, each, nullptr, stop));
  KINETIC_ASSIGN_OR_RETURN(const auto deletions, client_->DeleteAll(doomed, std::move(stop)));
  for (std::size_t i = 0; i < deletions.size(); ++i) {
    if (deletions[i] == Client::Deletion::kDeleted) removed_bytes += sizes[i];
  }
  return {};
}

Result<std::uint64_t> CompositeUpload::RemoveLeftovers(WallTime before,
                                                       std::stop_token stop) const {
  std::uint64_t removed_bytes = 0;
  KINETIC_RETURN_IF_ERROR(RemoveParts(prefix_, before, removed_bytes, std::move(stop)));
  return removed_bytes;
}

}  // namespace kinetic::gcs

#include "kinetic/try.h"

#include "base/concurrency/parallel.h"
#include "base/hash/digest.h"
#include "base/random.h"
#include "base/strings.h"
#include "gcs/parallel_transfer.h"
#include "gcs/upload/checked_body.h"
#include "gcs/upload/resumable.h"

#include <algorithm>
#include <map>
#include <utility>

namespace kinetic::gcs {
namespace {

constexpr std::size_t kMaxComposeSources = 32;  ///< the limit of the API
/// Two levels of composition suffice for all object sizes.
constexpr std::uint64_t kMaxParts = kMaxComposeSources * kMaxComposeSources;
/// Attempts to store a part that another client stores concurrently.
constexpr int kMaxPartAttempts = 3;

/// Returns the part size: at least `wanted`, limited to kMaxParts, a multiple of the granularity.
std::uint64_t PartBytes(std::uint64_t wanted, std::uint64_t size) {
  const std::uint64_t least = std::max(wanted, (size + kMaxParts - 1) / kMaxParts);
  return std::max((least + kUploadGranularityBytes - 1) / kUploadGranularityBytes,
                  std::uint64_t{1}) *
         kUploadGranularityBytes;
}

bool IsUnavailable(ErrorCode code) {
  return code == ErrorCode::kUnavailable || code == ErrorCode::kDeadlineExceeded ||
         code == ErrorCode::kUnauthenticated;
}

/// Returns whether the server does not allow to compose objects, for example by a policy. It may
/// accept the same content as one upload.
bool IsRefusal(const Error& error) {
  const bool answered =
      std::ranges::any_of(error.details, [](const auto& each) { return each.first == "status"; });
  return answered && !IsUnavailable(error.code) && error.code != ErrorCode::kNotFound &&
         error.code != ErrorCode::kResourceExhausted;
}

std::optional<Crc32c> ParseChecksum(const Object& object) {
  const auto bytes = Base64Decode(object.crc32c);
  if (!bytes || bytes->size() != sizeof(std::uint32_t)) return std::nullopt;
  std::uint32_t value = 0;
  for (const char byte : *bytes) value = value << 8 | static_cast<unsigned char>(byte);
  return Crc32c(value);
}

bool IsUnchanged(const FileStatus& before, const FileStatus& after) {
  return before.size_bytes == after.size_bytes && before.mtime_ns == after.mtime_ns &&
         before.ctime_ns == after.ctime_ns;
}

}  // namespace

/// The state of one upload.
struct CompositeUpload::Work {
  std::shared_ptr<http::FileBody> file;
  FileStatus status;  ///< of the file, at the start
  std::uint64_t size = 0;
  std::uint64_t step = 0;
  std::string name;
  InsertOptions options;
  std::string prefix;                   ///< of part names
  std::map<std::string, Object> found;  ///< parts of an earlier upload, by name
  std::vector<Object> parts;            ///< in order
  std::vector<Crc32c> checksums;
  bool is_refused = false;  ///< the parts are stored, but cannot be composed

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
  auto existing = found == work.found.end() ? std::nullopt : std::optional(found->second);
  std::optional<Object> stored;
  for (int attempt = 0; attempt < kMaxPartAttempts && !stored; ++attempt) {
    if (existing) {
      KINETIC_ASSIGN_OR_RETURN(const Crc32c checksum, ComputeChecksum(*body));
      const bool same =
          existing->size_bytes == body->size_bytes() && existing->crc32c == checksum.Base64();
      if (same) stored = existing;
      if (same) break;
    }
    const InsertOptions insert{.if_generation = existing ? existing->generation : 0,
                               .source = work.options.source};
    KINETIC_ASSIGN_OR_RETURN(stored, client_->Insert(name, body, insert, stop));
    if (stored) break;
    // Another client stores the same part.
    KINETIC_ASSIGN_OR_RETURN(existing, client_->Stat(name, stop));
  }
  if (!stored) {
    return Fail(ErrorCode::kAborted,
                "storing " + work.name + ": another client is storing the same object",
                "retry later");
  }
  // Insert verified it.
  const auto checksum = ParseChecksum(*stored);
  if (!checksum) return Fail(ErrorCode::kDataLoss, "storing " + name + ": it has no CRC32C");
  work.checksums[part] = *checksum;
  work.parts[part] = *std::move(stored);
  if (options_.on_bytes) options_.on_bytes(body->size_bytes());
  return {};
}

Status CompositeUpload::ComposeGroup(Work& work, const std::vector<Object>& parts,
                                     std::size_t group, std::vector<Object>& composed,
                                     std::stop_token stop) const {
  const auto first = parts.begin() + static_cast<std::ptrdiff_t>(group * kMaxComposeSources);
  const auto last = first + std::min<std::ptrdiff_t>(kMaxComposeSources, parts.end() - first);
  KINETIC_ASSIGN_OR_RETURN(auto object,
                           client_->Compose({first, last}, work.prefix + "1-" + RandomId(),
                                            {.if_generation = 0}, std::move(stop)));
  if (!object) return Fail(ErrorCode::kInternal, "an object with the random name already exists");
  composed[group] = *std::move(object);
  return {};
}

Result<std::vector<Object>> CompositeUpload::ComposeLevel(Work& work,
                                                          const std::vector<Object>& parts,
                                                          std::stop_token stop) const {
  std::vector<Object> composed((parts.size() + kMaxComposeSources - 1) / kMaxComposeSources);
  KINETIC_RETURN_IF_ERROR(ParallelFor(options_.connections, composed.size(), std::move(stop),
                                      [&](std::size_t group, std::stop_token group_stop) {
                                        return ComposeGroup(work, parts, group, composed,
                                                            std::move(group_stop));
                                      }));
  return composed;
}

Result<std::optional<Object>> CompositeUpload::ComposeAll(Work& work, std::vector<Object> parts,
                                                          std::stop_token stop) const {
  while (parts.size() > kMaxComposeSources) {
    KINETIC_ASSIGN_OR_RETURN(parts, ComposeLevel(work, parts, stop));
  }
  KINETIC_ASSIGN_OR_RETURN(auto whole, client_->Compose(parts, work.name, work.options, stop));
  const std::string sent = work.Whole().Base64();
  if (!whole || whole->crc32c.empty() || whole->crc32c == sent) return whole;
  KINETIC_RETURN_IF_ERROR(client_->Delete(work.name, {whole->generation, {}}, std::move(stop)));
  return Fail(ErrorCode::kDataLoss, "storing " + work.name + ": the server's CRC32C is " +
                                        whole->crc32c + ", the content has " + sent);
}

Result<std::optional<Object>> CompositeUpload::StoreParts(Work& work, std::stop_token stop) const {
  KINETIC_RETURN_IF_ERROR(FindParts(work, stop));
  // If one part fails, the others are completed: a cancelled request may still create its part
  // after all parts were removed.
  KINETIC_RETURN_IF_ERROR(
      ParallelFor(options_.connections, work.parts.size(), stop,
                  [&](std::size_t part, const std::stop_token& /*others_failed*/) {
                    return StorePart(work, part, stop);
                  }));
  KINETIC_ASSIGN_OR_RETURN(const FileStatus now, work.file->Stat());
  if (!IsUnchanged(work.status, now)) {
    return Fail(ErrorCode::kAborted,
                "storing " + work.name + ": the file changed during the upload",
                "retry when no process is writing to it");
  }
  auto composed = ComposeAll(work, work.parts, std::move(stop));
  work.is_refused = !composed && IsRefusal(composed.error());
  return composed;
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
    KINETIC_ASSIGN_OR_RETURN(const auto existing, client_->Stat(name, stop));
    // A killed client may have stored the object without removing its parts.
    if (existing && !options.source.empty()) RemovePartsQuietly(work.prefix);
    if (existing) return std::optional<Object>();
  }
  work.parts.resize((work.size + work.step - 1) / work.step);
  work.checksums.resize(work.parts.size());
  auto stored = StoreParts(work, stop);
  const bool can_go_on = !options.source.empty();
  // A later upload reuses the parts.
  if (!stored && can_go_on && IsUnavailable(stored.error().code)) return stored;
  RemovePartsQuietly(work.prefix);
  if (work.is_refused) return client_->Insert(name, file, options, std::move(stop));
  const bool removed_by_another =
      !stored && can_go_on && stored.error().code == ErrorCode::kNotFound;
  if (!removed_by_another) return stored;
  InsertOptions alone = options;
  alone.source.clear();
  return Store(file, name, alone, std::move(stop));
}

void CompositeUpload::RemovePartsQuietly(const std::string& prefix) const {
  std::uint64_t removed_bytes = 0;
  (void)RemoveParts(prefix, {}, removed_bytes, {});
}

Status CompositeUpload::RemoveParts(const std::string& prefix, std::optional<WallTime> before,
                                    std::uint64_t& removed_bytes, std::stop_token stop) const {
  std::vector<DeleteRequest> requests;
  std::vector<std::uint64_t> sizes;
  const auto each = [&](const Object& object) -> Result<bool> {
    if (before && object.updated >= *before) return true;
    requests.push_back({object.name, {object.generation, {}}});
    sizes.push_back(object.size_bytes);
    return true;
  };
  KINETIC_RETURN_IF_ERROR(client_->List({.prefix = prefix}, each, nullptr, stop));
  KINETIC_ASSIGN_OR_RETURN(const auto results, client_->DeleteAll(requests, std::move(stop)));
  for (std::size_t i = 0; i < results.size(); ++i) {
    if (results[i] == Client::DeleteResult::kDeleted) removed_bytes += sizes[i];
  }
  return {};
}

Result<std::uint64_t> CompositeUpload::RemoveOrphanedParts(WallTime before,
                                                           std::stop_token stop) const {
  std::uint64_t removed_bytes = 0;
  KINETIC_RETURN_IF_ERROR(RemoveParts(prefix_, before, removed_bytes, std::move(stop)));
  return removed_bytes;
}

}  // namespace kinetic::gcs

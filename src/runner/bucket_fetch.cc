#include "runner/bucket_fetch.h"

#include "base/parallel.h"
#include "base/strings.h"
#include "base/try.h"
#include "gcs/parallel_download.h"

#include <set>
#include <utility>
#include <vector>

namespace kinetic::runner {
namespace {

/// Objects above this size travel alone, in ranges.
constexpr std::uint64_t kSmallBytes = 32U << 20;
/// Small objects that travel at once.
constexpr std::size_t kConnections = 16;
constexpr int kTries = 2;

Failure Gone(const gcs::Client& client, const std::string& name, std::int64_t generation) {
  return Fail(ErrorCode::kNotFound,
              "gs://" + client.bucket() + "/" + Printable(name) +
                  " is not there any more as it was "
                  "when the job was submitted (generation " +
                  std::to_string(generation) + ")",
              "submit the job again, and keep its data as it is until the job has begun");
}

/// The folders of all objects, those above first.
Status MakeFolders(FileSystem& fs, const record::DataListing& listing, const Path& folder) {
  KINETIC_RETURN_IF_ERROR(MakeDirectories(fs, folder, 0755));
  std::set<Path> made{folder};
  for (const auto& object : listing.objects) {
    const Path parent = (folder / object.path).parent_path();
    if (!made.insert(parent).second) continue;
    KINETIC_RETURN_IF_ERROR(MakeDirectories(fs, parent, 0755));
  }
  return {};
}

}  // namespace

Status BucketFetch::FetchSmall(const std::string& name, const record::ListedObject& object,
                               const Path& file, std::stop_token stop) const {
  KINETIC_ASSIGN_OR_RETURN(const UniqueFd fd, fs_.Open(file, OpenMode::kTruncate, 0644));
  for (int attempt = 1;; ++attempt) {
    std::uint64_t offset = 0;
    const auto write = [&](std::string_view piece) -> Status {
      KINETIC_RETURN_IF_ERROR(fs_.WriteAt(fd.get(), piece, offset));
      offset += piece.size();
      return {};
    };
    const gcs::ReadOptions options{.offset = 0, .length = {}, .generation = object.generation};
    const auto read = client_.Read(name, options, write, stop);
    if (read && !*read) return Gone(client_, name, object.generation);
    if (read && offset == object.size_bytes) {
      if (on_bytes_) on_bytes_(offset);
      return {};
    }
    const bool damaged = read || read.error().code == ErrorCode::kDataLoss;
    if (!read && (!damaged || attempt == kTries)) return Failure(read.error());
    if (attempt == kTries) {
      return Fail(ErrorCode::kDataLoss, "gs://" + client_.bucket() + "/" + Printable(name) +
                                            " has not the length that its listing says");
    }
    KINETIC_RETURN_IF_ERROR(fs_.Truncate(fd.get(), 0));
  }
}

Status BucketFetch::FetchObject(const record::DataListing& listing,
                                const record::ListedObject& object, const Path& file,
                                std::stop_token stop) const {
  const std::string name = listing.prefix + object.path;
  if (object.size_bytes <= kSmallBytes) return FetchSmall(name, object, file, std::move(stop));
  const gcs::ParallelDownload download(client_, fs_, {.on_bytes = on_bytes_});
  KINETIC_ASSIGN_OR_RETURN(const auto fetched,
                           download.Fetch(name, object.generation, file, std::move(stop)));
  if (!fetched) return Gone(client_, name, object.generation);
  return {};
}

Status BucketFetch::Fetch(const record::DataListing& listing, const Path& folder,
                          std::stop_token stop) const {
  KINETIC_RETURN_IF_ERROR(MakeFolders(fs_, listing, folder));
  std::vector<const record::ListedObject*> small;
  std::vector<const record::ListedObject*> large;
  for (const auto& object : listing.objects) {
    (object.size_bytes <= kSmallBytes ? small : large).push_back(&object);
  }
  const auto fetch = [&](const record::ListedObject& object, std::stop_token stopping) {
    return FetchObject(listing, object, folder / object.path, std::move(stopping));
  };
  KINETIC_RETURN_IF_ERROR(
      Parallel(kConnections, small.size(), stop, [&](std::size_t i, std::stop_token stopping) {
        return fetch(*small[i], std::move(stopping));
      }));
  for (const auto* object : large) KINETIC_RETURN_IF_ERROR(fetch(*object, stop));
  return {};
}

}  // namespace kinetic::runner

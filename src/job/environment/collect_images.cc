#include "kinetic/try.h"

#include "env/image/stored_image.h"
#include "job/environment/image_records.h"
#include "job/environment/image_registries.h"
#include "record/object_names.h"
#include "record/packages/objects.h"
#include "store/age.h"
#include "store/source.h"

#include <chrono>
#include <utility>
#include <vector>

namespace kinetic::job {
namespace {

/// How long a package image that this store built is kept after the last job that ran in it.
constexpr std::chrono::hours kImageRetention{30 * 24};

/// This store's record of an image.
struct RecordedImage {
  store::ObjectInfo object;
  record::ImageRecord record;
};

class ImageCollector {
 public:
  ImageCollector(const Context& context, const ImageCollection& collection, GarbageReport& report,
                 std::stop_token stop)
      : context_(context), collection_(collection), report_(report), stop_(std::move(stop)) {}

  Status Run(const oci::Reference& place) {
    KINETIC_ASSIGN_OR_RETURN(const auto images, ReadRecords(place.Text() + ":"));
    for (const RecordedImage& one : images) {
      if (IsKept(one) || !is_available_) {
        ++found_.kept;
        continue;
      }
      auto collected = Collect(place, one);
      if (collected) continue;
      if (collected.error().code == ErrorCode::kCancelled) return collected;
      Warn(collected.error());
      ++found_.kept;
      is_available_ = false;
    }
    if (found_.kept + found_.removed > 0) report_.classes.push_back(std::move(found_));
    return {};
  }

 private:
  bool IsKept(const RecordedImage& one) const {
    return collection_.referenced.contains(one.record.image) ||
           !store::IsOlder(one.object.lease, collection_.now, kImageRetention);
  }

  Result<std::vector<RecordedImage>> ReadRecords(const std::string& place) const {
    std::vector<store::ObjectInfo> objects;
    const auto take = [&](const store::ObjectInfo& info) -> Result<bool> {
      objects.push_back(info);
      return true;
    };
    KINETIC_RETURN_IF_ERROR(context_.store->List(record::kImagePrefix, "", take, stop_));
    std::vector<RecordedImage> images;
    for (auto& object : objects) {
      const auto json = store::GetBytes(*context_.store, object.name, stop_);
      if (!json && json.error().code != ErrorCode::kDataLoss) return Failure(json.error());
      if (!json || !*json) continue;
      auto made = record::ImageRecordFromJson(**json);
      if (!made || !made->image.starts_with(place)) continue;
      images.push_back({std::move(object), *std::move(made)});
    }
    return images;
  }

  /// @errors  errors of the registry: the image and its record are unchanged.
  Status Collect(const oci::Reference& place, const RecordedImage& one) {
    KINETIC_ASSIGN_OR_RETURN(const auto* repository, registries_.OpenToWrite(place, {}));
    KINETIC_ASSIGN_OR_RETURN(
        const auto stored,
        env::ReadStoredImage(*repository, env::TagFromReference(one.record.image), stop_));
    const bool is_there = stored && stored->key == one.record.key.Hex();
    if (!collection_.dry_run) {
      // From here on, a client that uses the image records it again or builds it again.
      KINETIC_ASSIGN_OR_RETURN(const auto removal,
                               context_.store->RemoveIfUnchanged(one.object, stop_));
      if (removal == store::Removal::kChanged) {
        ++found_.kept;
        return {};
      }
      if (is_there) KINETIC_RETURN_IF_ERROR(Remove(*repository, stored->digest, one));
    }
    if (!is_there) return {};
    ++found_.removed;
    found_.removed_bytes += stored->size_bytes;
    report_.removed.push_back(one.record.image + "@" + oci::DigestString(stored->digest));
    return {};
  }

  Status Remove(const oci::Repository& repository, const Digest& digest, const RecordedImage& one) {
    auto removed = repository.RemoveManifest(oci::DigestString(digest), stop_);
    if (removed) return {};
    // The image still exists, so its record is restored with its original content and owner.
    const std::string json = record::ToJson(one.record);
    store::BytesSource source(json);
    KINETIC_RETURN_IF_ERROR(context_.store->Put(one.object.name, source,
                                                store::Precondition::Absent(),
                                                {.metadata = {}, .lease = one.object.lease}, {}));
    return removed;
  }

  void Warn(const Error& error) {
    const std::string advice =
        error.code == ErrorCode::kUnimplemented
            ? ": ask the registry's owner to enable deletion, or remove old images there"
        : error.hint.empty() ? ""
                             : ": " + error.hint;
    report_.warnings.push_back("unused images were not removed: " + error.message + advice);
  }

  const Context& context_;
  const ImageCollection& collection_;
  GarbageReport& report_;
  const std::stop_token stop_;
  ImageRegistries registries_{context_};
  GarbageReport::Class found_{.name = "images",
                              .why_kept = "a job needs them, or used in the last 30 days"};
  bool is_available_ = true;
};

}  // namespace

Status CollectImages(const Context& context, const ImageCollection& collection,
                     GarbageReport& report, std::stop_token stop) {
  const auto place = ImageRepository(context);
  if (!place) return {};
  return ImageCollector(context, collection, report, std::move(stop)).Run(*place);
}

}  // namespace kinetic::job

#include "base/try.h"
#include "env/image/stored_image.h"
#include "job/images/records.h"
#include "job/images/registries.h"
#include "job/lifecycle/garbage.h"
#include "record/object_names.h"
#include "record/packages/image_record.h"
#include "store/source.h"

#include <utility>
#include <vector>

namespace kinetic::job {
namespace {

/// This store's record of an image.
struct Noted {
  store::ObjectInfo note;
  record::ImageRecord made;
};

class Images {
 public:
  Images(const Context& context, const ImageCollection& collection, GarbageReport& report,
         std::stop_token stop)
      : context_(context), collection_(collection), report_(report), stop_(std::move(stop)) {}

  Status Run(const oci::Reference& place) {
    KINETIC_ASSIGN_OR_RETURN(const auto noted, ReadNotes(place.Text() + ":"));
    for (const Noted& one : noted) {
      if (Stays(one) || !answers_) {
        ++found_.kept;
        continue;
      }
      auto collected = Collect(place, one);
      if (collected) continue;
      if (collected.error().code == ErrorCode::kCancelled) return collected;
      Warn(collected.error());
      ++found_.kept;
      answers_ = false;
    }
    if (found_.kept + found_.removed > 0) report_.classes.push_back(std::move(found_));
    return {};
  }

 private:
  bool Stays(const Noted& one) const {
    return collection_.named.contains(one.made.image) ||
           collection_.now - one.note.lease <= kUnusedImageStays;
  }

  Result<std::vector<Noted>> ReadNotes(const std::string& place) const {
    std::vector<store::ObjectInfo> notes;
    const auto take = [&](const store::ObjectInfo& info) -> Result<bool> {
      notes.push_back(info);
      return true;
    };
    KINETIC_RETURN_IF_ERROR(context_.store->List(record::kImagePrefix, "", take, stop_));
    std::vector<Noted> noted;
    for (auto& note : notes) {
      KINETIC_ASSIGN_OR_RETURN(const auto json, store::GetBytes(*context_.store, note.name, stop_));
      if (!json) continue;
      auto made = record::ImageRecordFromJson(*json);
      if (!made || !made->image.starts_with(place)) continue;
      noted.push_back({std::move(note), *std::move(made)});
    }
    return noted;
  }

  /// @errors  errors of the registry: the image and its record are unchanged.
  Status Collect(const oci::Reference& place, const Noted& one) {
    KINETIC_ASSIGN_OR_RETURN(const auto* repository, registries_.OpenToWrite(place, {}));
    KINETIC_ASSIGN_OR_RETURN(
        const auto stored,
        env::ReadStoredImage(*repository, env::ImageTagIn(one.made.image), stop_));
    const bool is_there = stored && stored->key == one.made.key.Hex();
    if (!collection_.dry_run) {
      // From here on, a client that uses the image records it again or builds it again.
      KINETIC_ASSIGN_OR_RETURN(const auto removal,
                               context_.store->RemoveIfUnchanged(one.note, stop_));
      if (removal == store::Removal::kChanged) {
        ++found_.kept;
        return {};
      }
      if (is_there) KINETIC_RETURN_IF_ERROR(Remove(*repository, stored->digest, one));
    }
    if (!is_there) return {};
    ++found_.removed;
    found_.removed_bytes += stored->size_bytes;
    report_.removed.push_back(one.made.image + "@" + oci::DigestString(stored->digest));
    return {};
  }

  Status Remove(const oci::Repository& repository, const Digest& digest, const Noted& one) {
    auto removed = repository.RemoveManifest(oci::DigestString(digest), stop_);
    if (removed) return {};
    // The image still exists, so its record is restored with its original content and owner.
    const std::string json = record::ToJson(one.made);
    store::BytesSource source(json);
    KINETIC_RETURN_IF_ERROR(context_.store->Put(one.note.name, source,
                                                store::Precondition::Absent(),
                                                {.metadata = {}, .lease = one.note.lease}, {}));
    return removed;
  }

  void Warn(const Error& error) {
    const std::string advice =
        error.code == ErrorCode::kUnimplemented
            ? ": have its owner let it delete images, or remove old ones there"
        : error.hint.empty() ? ""
                             : ": " + error.hint;
    report_.warnings.push_back("images that nobody uses stay: " + error.message + advice);
  }

  const Context& context_;
  const ImageCollection& collection_;
  GarbageReport& report_;
  const std::stop_token stop_;
  ImageRegistries registries_{context_};
  GarbageReport::Class found_{.name = "images"};
  bool answers_ = true;
};

}  // namespace

Status CollectImages(const Context& context, const ImageCollection& collection,
                     GarbageReport& report, std::stop_token stop) {
  const auto place = ImagePlace(context);
  if (!place) return {};
  return Images(context, collection, report, std::move(stop)).Run(*place);
}

}  // namespace kinetic::job

#include "kinetic/try.h"

#include "base/strings.h"
#include "gcs/client.h"
#include "job/bundle/data_sets.h"

#include <fmt/format.h>

#include <algorithm>
#include <string_view>
#include <utility>

namespace kinetic::job {
namespace {

constexpr std::string_view kScheme = "gs://";

/// "gs://bucket/name", split.
struct Source {
  std::string bucket;
  std::string name;
};

Source ParseSource(std::string_view text) {
  text.remove_prefix(kScheme.size());
  const std::size_t slash = std::min(text.find('/'), text.size());
  return {std::string(text.substr(0, slash)),
          std::string(text.substr(std::min(slash + 1, text.size())))};
}

/// Collects the objects of a source.
class Listing {
 public:
  Listing(const gcs::Client& client, const std::string& source) : client_(client), source_(source) {
    listing_.bucket = client.bucket();
  }

  /// Adds the object with this name. Returns whether it exists.
  Result<bool> AddObject(const std::string& name, const std::stop_token& stop) {
    auto object = client_.Stat(name, stop);
    if (!object) return Failure(std::move(object).error().Context(Printable(source_)));
    if (!*object) return false;
    listing_.prefix = name.substr(0, name.rfind('/') + 1);
    KINETIC_RETURN_IF_ERROR(Add(**object));
    return true;
  }

  Status AddFolder(std::string prefix, const std::stop_token& stop) {
    if (!prefix.empty() && !prefix.ends_with('/')) prefix += '/';
    listing_.prefix = std::move(prefix);
    gcs::ListOptions options;
    options.prefix = listing_.prefix;
    const auto take = [this](const gcs::Object& object) -> Result<bool> {
      if (object.size_bytes == 0 && object.name.ends_with('/')) return true;
      KINETIC_RETURN_IF_ERROR(Add(object));
      return true;
    };
    if (auto listed = client_.List(options, take, nullptr, stop); !listed) {
      return Failure(std::move(listed).error().Context(Printable(source_)));
    }
    if (!listing_.objects.empty()) return {};
    return Fail(ErrorCode::kNotFound, fmt::format("no object in {}", Printable(source_)),
                "check the spelling; folder names end in '/'");
  }

  Result<BucketData> Finish(bool file) {
    if (auto checked = record::CheckPaths(listing_.objects); !checked) {
      return Failure(std::move(checked).error().Context(Printable(source_)));
    }
    BucketData data;
    data.document = record::ToJson(listing_);
    data.entry = {Sha256::Of(data.document), listing_.objects.size(), listing_.Bytes(), file};
    if (compressed_ > 0) {
      data.warnings.push_back(fmt::format(
          "{}: {} stored with Content-Encoding: gzip and copied as stored, compressed",
          Printable(source_),
          compressed_ == 1 ? "1 object is" : fmt::format("{} objects are", compressed_)));
    }
    return data;
  }

 private:
  Status Add(const gcs::Object& object) {
    if (listing_.objects.size() == record::kMaxListedObjects) {
      return Fail(ErrorCode::kResourceExhausted,
                  fmt::format("more than {} objects", record::kMaxListedObjects),
                  "use a subfolder, or pack small files into archives");
    }
    if (!object.content_encoding.empty()) ++compressed_;
    listing_.objects.push_back({object.name.substr(listing_.prefix.size()), object.size_bytes,
                                object.generation, object.crc32c});
    return {};
  }

  const gcs::Client& client_;
  const std::string& source_;
  record::DataListing listing_;
  std::size_t compressed_ = 0;
};

}  // namespace

Result<BucketData> ListBucketData(Context& context, const std::string& source,
                                  std::stop_token stop) {
  KINETIC_ASSIGN_OR_RETURN(const auto connection, context.cloud->Connect(stop));
  const Source place = ParseSource(source);
  const gcs::Client client(*connection, context.clock, place.bucket, context.cloud->GcsOptions());
  Listing listing(client, source);
  bool file = false;
  if (!place.name.empty() && !place.name.ends_with('/')) {
    KINETIC_ASSIGN_OR_RETURN(file, listing.AddObject(place.name, stop));
  }
  if (!file) KINETIC_RETURN_IF_ERROR(listing.AddFolder(place.name, stop));
  return listing.Finish(file);
}

}  // namespace kinetic::job

#include "kinetic/try.h"

#include "base/transfer/parts_download.h"
#include "gcs/parallel_transfer.h"

#include <utility>

namespace kinetic::gcs {
namespace {

Path Beside(const Path& file, std::string_view suffix) {
  Path path = file;
  path += suffix;
  return path;
}

std::string ObjectIdentity(const Client& client, const Object& object) {
  Value identity{Value::Map{}};
  identity.Set("bucket", client.bucket());
  identity.Set("name", object.name);
  identity.Set("generation", object.generation);
  return identity.ToJson();
}

}  // namespace

Result<std::optional<Object>> ParallelDownload::Fetch(const std::string& name,
                                                      std::optional<std::int64_t> generation,
                                                      const Path& file,
                                                      std::stop_token stop) const {
  KINETIC_ASSIGN_OR_RETURN(auto object, client_->Stat(name, generation, stop));
  if (!object) return object;
  PartsDownload parts(*fs_,
                      {.name = object->name,
                       .identity = ObjectIdentity(*client_, *object),
                       .size_bytes = object->size_bytes,
                       .crc32c = object->crc32c,
                       .file = file,
                       .partial = Beside(file, ".kinetic-part"),
                       .journal = Beside(file, ".kinetic-parts"),
                       .durable = true},
                      options_);
  KINETIC_ASSIGN_OR_RETURN(const std::uint64_t resumed_bytes, parts.Resume(stop));
  if (options_.on_bytes && resumed_bytes > 0) options_.on_bytes(resumed_bytes);
  const auto range = [&](std::uint64_t offset, std::uint64_t length, const http::Sink& sink,
                         std::stop_token range_stop) -> Status {
    const ReadOptions wanted{offset, length, object->generation};
    KINETIC_ASSIGN_OR_RETURN(const auto read,
                             client_->Read(object->name, wanted, sink, std::move(range_stop)));
    if (read) return {};
    return Fail(ErrorCode::kAborted,
                "reading " + object->name + ": it was replaced or removed during the download",
                "retry");
  };
  KINETIC_RETURN_IF_ERROR(parts.Fetch(range, std::move(stop)));
  return object;
}

}  // namespace kinetic::gcs

#include "base/strings.h"
#include "base/try.h"
#include "store/sources.h"
#include "store/store.h"

namespace kinetic::store {

Result<std::optional<std::string>> GetBytes(Store& store, std::string_view name,
                                            std::stop_token stop, std::uint64_t limit_bytes) {
  std::string bytes;
  const auto append = [&](std::string_view piece) -> Status {
    if (piece.size() > limit_bytes - bytes.size()) {
      return Fail(ErrorCode::kResourceExhausted, "reading " + Printable(name) +
                                                     ": larger than the limit of " +
                                                     std::to_string(limit_bytes) + " bytes");
    }
    bytes += piece;
    return {};
  };
  KINETIC_ASSIGN_OR_RETURN(const auto info, store.Get(name, {}, append, stop));
  if (!info) return std::nullopt;
  return bytes;
}

Result<std::optional<ObjectInfo>> PutBytes(Store& store, std::string_view name,
                                           std::string_view bytes, const Precondition& precondition,
                                           std::stop_token stop, const Metadata& metadata) {
  BytesSource source(bytes);
  return store.Put(name, source, precondition, {.metadata = metadata, .lease = {}}, stop);
}

Status Overwrite(Store& store, std::string_view name, std::string_view bytes, std::stop_token stop,
                 const Metadata& metadata) {
  constexpr int kAttempts = 100;  // more means that the object has another writer after all
  for (int attempt = 0; attempt < kAttempts; ++attempt) {
    KINETIC_ASSIGN_OR_RETURN(const auto there, store.Stat(name, stop));
    const auto precondition =
        there ? Precondition::Generation(there->generation) : Precondition::Absent();
    KINETIC_ASSIGN_OR_RETURN(const auto stored,
                             PutBytes(store, name, bytes, precondition, stop, metadata));
    if (stored) return {};
  }
  return Fail(ErrorCode::kAborted, "storing " + Printable(name) + ": others kept changing it",
              "run the same command again");
}

}  // namespace kinetic::store

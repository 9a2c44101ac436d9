#include "native/stored_value.h"

#include "kinetic/try.h"

#include "base/concurrency/parallel.h"
#include "base/hash/digest.h"
#include "json/content.h"
#include "json/stored_content.h"

#include <fmt/format.h>

#include <string>
#include <string_view>
#include <utility>

namespace kinetic::inline v0::native {
namespace {

constexpr std::size_t kMaxValueBytes = 64U << 20;  // record::kMaxValueBytes

/// The runner stores the file when the function has returned, so it needs no flush to the disk.
Status WriteNewFile(FileSystem& fs, const Path& file, const json::Pieces& content) {
  KINETIC_ASSIGN_OR_RETURN(const UniqueFd fd, fs.Open(file, OpenMode::kTruncate, 0600));
  for (const std::string_view piece : content) KINETIC_RETURN_IF_ERROR(fs.Write(fd.get(), piece));
  return {};
}

/// Writes a file whose name is its SHA-256. Writes and hashes large content at the same time.
Result<Digest> WriteNamedFile(FileSystem& fs, const Path& folder, const Bytes& content) {
  constexpr std::size_t kParallelBytes = 1U << 20;
  constexpr std::size_t kParts = 2;
  const Path draft = folder / ".draft";  // which the runner ignores
  Digest digest;
  const auto act = [&](std::size_t part, const std::stop_token&) -> Status {
    if (part == 1) return WriteNewFile(fs, draft, json::Content::PiecesOf(content));
    digest = json::DigestOf(content);
    return {};
  };
  KINETIC_RETURN_IF_ERROR(MakeDirectories(fs, folder, 0700));
  KINETIC_RETURN_IF_ERROR(
      ParallelFor(json::SizeOf(content) < kParallelBytes ? 1 : kParts, kParts, {}, act));
  KINETIC_RETURN_IF_ERROR(fs.Rename(draft, folder / digest.Hex()));
  return digest;
}

}  // namespace

Result<std::uint64_t> WriteValue(FileSystem& fs, Value value, const Path& exchange) {
  const Path folder = exchange / "values";
  const auto store = [&](const Bytes& content) { return WriteNamedFile(fs, folder, content); };
  KINETIC_RETURN_IF_ERROR(json::StoreContent(value, store));
  const std::string json = value.ToJson();
  if (json.size() > kMaxValueBytes)
    return Fail(ErrorCode::kResourceExhausted,
                fmt::format("the value is longer than {} MiB as JSON; write it to "
                            "CurrentJob()->output, or return numbers as an NdArray",
                            kMaxValueBytes >> 20U));
  KINETIC_RETURN_IF_ERROR(WriteNewFile(fs, exchange / "value.json", {json, {}}));
  return std::uint64_t{json.size()};
}

}  // namespace kinetic::inline v0::native

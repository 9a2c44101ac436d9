#include "native/stored_value.h"

#include "kinetic/try.h"

#include "json/stored_content.h"

#include <fmt/format.h>

#include <string>
#include <string_view>
#include <utility>

namespace kinetic::inline v0::native {
namespace {

constexpr std::size_t kMaxValueBytes = 64U << 20;  // record::kMaxValueBytes

/// The runner stores the file when the function has returned, so it needs no flush to the disk.
Status WriteNewFile(FileSystem& fs, const Path& file, std::string_view content) {
  KINETIC_ASSIGN_OR_RETURN(const UniqueFd fd, fs.Open(file, OpenMode::kTruncate, 0600));
  return fs.Write(fd.get(), content);
}

}  // namespace

Result<std::uint64_t> WriteValue(FileSystem& fs, Value value, const Path& exchange) {
  const Path folder = exchange / "values";
  const auto store = [&](const Digest& sha256, std::string_view content) -> Status {
    KINETIC_RETURN_IF_ERROR(MakeDirectories(fs, folder, 0700));
    return WriteNewFile(fs, folder / sha256.Hex(), content);
  };
  KINETIC_RETURN_IF_ERROR(json::StoreContent(value, store));
  const std::string json = value.ToJson();
  if (json.size() > kMaxValueBytes)
    return Fail(ErrorCode::kResourceExhausted,
                fmt::format("the value is longer than {} MiB as JSON; write it to "
                            "CurrentJob()->output, or return numbers as an NdArray",
                            kMaxValueBytes >> 20U));
  KINETIC_RETURN_IF_ERROR(WriteNewFile(fs, exchange / "value.json", json));
  return std::uint64_t{json.size()};
}

}  // namespace kinetic::inline v0::native

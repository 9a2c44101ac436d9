#include "native/stored_value.h"

#include "kinetic/try.h"

#include "base/hash/digest.h"
#include "base/strings.h"
#include "json/bytes.h"
#include "json/npy.h"

#include <fmt/format.h>

#include <string>
#include <utility>

namespace kinetic::inline v0::native {
namespace {

constexpr std::size_t kMaxValueBytes = 64U << 20;  // record::kMaxValueBytes
constexpr std::string_view kNpyTag = "$npy";

/// The runner stores the file when the function has returned, so it needs no flush to the disk.
Status WriteNewFile(FileSystem& fs, const Path& file, std::string_view content) {
  KINETIC_ASSIGN_OR_RETURN(const UniqueFd fd, fs.Open(file, OpenMode::kTruncate, 0600));
  return fs.Write(fd.get(), content);
}

class ValueWriter {
 public:
  ValueWriter(FileSystem& fs, Path folder) : fs_(fs), folder_(std::move(folder)) {}

  /// Stores the arrays of a value and replaces them by references.
  Status StoreArrays(Value& value, const ValuePath& at) {
    if (const auto* text = value.AsString()) return CheckText(*text, at);
    if (auto* list = value.AsList()) {
      for (std::size_t i = 0; i < list->size(); ++i)
        KINETIC_RETURN_IF_ERROR(StoreArrays((*list)[i], ValuePath(at, i)));
    }
    auto* map = value.AsMap();
    if (map == nullptr) return {};
    const Value* content = json::Tagged(value, kNpyTag);
    if (content != nullptr && (content->AsBytes() != nullptr || content->AsString() != nullptr)) {
      auto stored = StoreArray(*content);
      if (!stored) return Failure(std::move(stored).error().Context(at.ToString()));
      value = *std::move(stored);
      return {};
    }
    for (auto& [key, member] : *map) {
      KINETIC_RETURN_IF_ERROR(CheckText(key, at));
      KINETIC_RETURN_IF_ERROR(StoreArrays(member, ValuePath(at, std::string_view(key))));
    }
    return {};
  }

 private:
  static Status CheckText(std::string_view text, const ValuePath& at) {
    if (IsUtf8(text)) return {};
    return Fail(ErrorCode::kInvalidArgument,
                at.ToString() + ": the text is not valid UTF-8; return kinetic::Bytes");
  }

  Result<Value> StoreArray(const Value& content) {
    const auto bytes = json::BytesIn(content);
    if (!bytes) return Fail(ErrorCode::kInvalidArgument, "the array is not valid base64");
    const std::string_view file = bytes->view();
    KINETIC_ASSIGN_OR_RETURN(const json::NpyDescription description, json::DescribeNpy(file));
    const std::string name = Sha256::Of(file).Hex();
    KINETIC_RETURN_IF_ERROR(MakeDirectories(fs_, folder_, 0700));
    KINETIC_RETURN_IF_ERROR(WriteNewFile(fs_, folder_ / name, file));
    return Value::Map{{"$array", Value::Map{{"$ref", name},
                                            {"sha256", name},
                                            {"dtype", description.type.Name()},
                                            {"shape", description.shape},
                                            {"size_bytes", file.size()}}}};
  }

  FileSystem& fs_;
  const Path folder_;
};

}  // namespace

Result<std::uint64_t> WriteValue(FileSystem& fs, Value value, const Path& exchange) {
  KINETIC_RETURN_IF_ERROR(ValueWriter(fs, exchange / "values").StoreArrays(value, ValuePath()));
  const std::string json = value.ToJson();
  if (json.size() > kMaxValueBytes)
    return Fail(ErrorCode::kResourceExhausted,
                fmt::format("the value is longer than {} MiB as JSON; write it to "
                            "CurrentJob()->output, or return numbers as a std::vector",
                            kMaxValueBytes >> 20U));
  KINETIC_RETURN_IF_ERROR(WriteNewFile(fs, exchange / "value.json", json));
  return std::uint64_t{json.size()};
}

}  // namespace kinetic::inline v0::native

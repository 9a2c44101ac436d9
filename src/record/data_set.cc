#include "record/data_set.h"

#include "kinetic/try.h"

#include "base/concurrency/parallel.h"
#include "base/time/clock.h"
#include "json/document.h"
#include "record/json_fields.h"
#include "record/object_names.h"

#include <utility>

namespace kinetic::record {
namespace {

constexpr std::int64_t kDataSetVersion = 1;
constexpr std::string_view kDataSetKind = "dataset";
constexpr std::uint64_t kMaxDataSetBytes = 1U << 20;
constexpr std::size_t kDataSetThreads = 16;

}  // namespace

std::string ToJson(const Dataset& data) {
  Value::Map map = {{"version", Value(kDataSetVersion)},
                    {"name", data.name},
                    {"tree", data.tree},
                    {"files", CountValue(data.files)},
                    {"bytes", CountValue(data.size_bytes)},
                    {"stored", FormatTime(data.stored)},
                    {"owner", data.owner},
                    {"source", data.source}};
  if (data.file) map.emplace_back("file", Value(true));
  return json::WriteDocument(std::move(map));
}

Result<Dataset> DataSetFromJson(std::string_view json) {
  KINETIC_ASSIGN_OR_RETURN(const Value value, json::ReadDocument(json, kDataSetKind));
  json::ObjectReader reader(value, std::string(kDataSetKind));
  KINETIC_RETURN_IF_ERROR(CheckVersion(reader, kDataSetVersion));
  Dataset data;
  data.name = reader.String("name");
  data.tree = ReadDigest(reader, "tree").Hex();
  data.files = ReadCount(reader, "files");
  data.size_bytes = ReadCount(reader, "bytes");
  data.stored = ReadTime(reader, "stored");
  data.owner = ReadText(reader, "owner");
  data.source = ReadText(reader, "source");
  data.file = reader.OptionalBool("file").value_or(false);
  KINETIC_RETURN_IF_ERROR(reader.Finish());
  return data;
}

Result<std::optional<StoredDataSet>> ReadDataSet(store::Store& store, std::string_view name,
                                                 std::stop_token stop) {
  const std::string object = DataSetName(name);
  std::string json;
  const auto append = [&](std::string_view piece) -> Status {
    json += piece;
    if (json.size() <= kMaxDataSetBytes) return {};
    return Fail(ErrorCode::kDataLoss, object + ": larger than 1 MiB");
  };
  KINETIC_ASSIGN_OR_RETURN(const auto read, store.Get(object, {}, append, std::move(stop)));
  if (!read) return std::optional<StoredDataSet>();
  auto data = DataSetFromJson(json);
  if (!data) return Failure(std::move(data).error().Context(object));
  if (data->name != name) {
    return Fail(ErrorCode::kDataLoss, object + ": contains a dataset with another name");
  }
  const Digest tree = *Digest::FromHex(data->tree);
  return std::optional(StoredDataSet{*std::move(data), tree, read->generation});
}

Result<DataSetListing> ListDataSets(store::Store& store, std::stop_token stop) {
  DataSetListing listing;
  std::vector<std::string> names;
  const auto add = [&](const store::ObjectInfo& info) -> Result<bool> {
    names.push_back(info.name.substr(kDataPrefix.size()));
    if (!info.name.ends_with('/')) return true;
    names.pop_back();
    listing.damaged.push_back(store::DamageError(info));
    return true;
  };
  KINETIC_RETURN_IF_ERROR(store.List(kDataPrefix, "", add, stop));
  std::vector<std::optional<StoredDataSet>> found(names.size());
  std::vector<std::optional<Error>> damage(names.size());
  const auto read = [&](std::size_t i, std::stop_token stopping) -> Status {
    auto one = ReadDataSet(store, names[i], std::move(stopping));
    if (!one && one.error().code != ErrorCode::kDataLoss) return Failure(std::move(one).error());
    if (one) {
      found[i] = *std::move(one);
    } else {
      damage[i] = std::move(one).error();
    }
    return {};
  };
  KINETIC_RETURN_IF_ERROR(ParallelFor(kDataSetThreads, names.size(), std::move(stop), read));
  for (auto& one : found) {
    if (one) listing.sets.push_back(*std::move(one));  // others were removed meanwhile
  }
  for (auto& error : damage) {
    if (error) listing.damaged.push_back(*std::move(error));
  }
  return listing;
}

}  // namespace kinetic::record

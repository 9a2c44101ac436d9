#include "job/environment/recent.h"

#include "kinetic/version.h"

#include "base/time/clock.h"
#include "json/document.h"
#include "record/json_fields.h"

#include <fmt/format.h>

namespace kinetic::job {
namespace {

constexpr std::int64_t kVersion = 4;
constexpr std::string_view kWhere = "known environment";
constexpr std::uint64_t kMaxRecentBytes = 1U << 16;

std::string ToJson(const RecentEnvironment& known) {
  const env::ReadyEnvironment& environment = known.ready;
  Value::Map map{{"version", Value(kVersion)},
                 {"id", environment.id},
                 {"uses", record::CountValue(known.uses)}};
  if (!environment.image.empty()) {
    map.emplace_back("image", environment.image);
    map.emplace_back("noted", ToMicros(known.use_recorded));
  }
  if (const auto& tree = environment.tree) {
    map.emplace_back("tree", tree->digest.Hex());
    map.emplace_back("files", record::CountValue(tree->files));
    map.emplace_back("bytes", record::CountValue(tree->bytes));
  }
  return json::WriteDocument(std::move(map));
}

std::optional<RecentEnvironment> FromJson(std::string_view json) {
  const auto value = json::ReadDocument(json, kWhere);
  if (!value) return std::nullopt;
  json::ObjectReader reader(*value, std::string(kWhere));
  RecentEnvironment known;
  env::ReadyEnvironment& ready = known.ready;
  if (reader.Int("version") != kVersion) return std::nullopt;
  ready.id = reader.String("id");
  known.uses = record::ReadCount(reader, "uses");
  ready.image = reader.OptionalString("image").value_or("");
  if (!ready.image.empty()) {
    known.use_recorded = FromMicros(reader.Int("noted"));
  } else {
    ready.tree = {record::ReadDigest(reader, "tree"), record::ReadCount(reader, "files"),
                  record::ReadCount(reader, "bytes")};
  }
  if (!reader.Finish()) return std::nullopt;
  return known;
}

}  // namespace

std::optional<RecentEnvironment> RecentEnvironments::Find(const Digest& manifest_key) const {
  const Path file = FileOf(manifest_key);
  const auto json = ReadFile(context_.fs, file, kMaxRecentBytes);
  if (!json) return std::nullopt;
  auto known = FromJson(*json);
  if (known) (void)context_.fs.SetModifiedTime(file, context_.clock.Now());
  return known;
}

void RecentEnvironments::Keep(const Digest& manifest_key, const RecentEnvironment& known) const {
  const Path file = FileOf(manifest_key);
  Status kept = MakeDirectories(context_.fs, file.parent_path());
  if (kept) kept = WriteFileAtomically(context_.fs, file, ToJson(known));
  if (!kept) context_.Log(LogLevel::kDebug, kept.error().message);
}

Path RecentEnvironments::FileOf(const Digest& manifest_key) const {
  constexpr std::size_t kNameLength = 32;
  const ClusterProfile& cluster = context_.options.profile.kubernetes;
  const std::string what =
      fmt::format("{}\n{}\n{}\n{}\n", context_.store->Location(), Version(),
                  static_cast<int>(cluster.environments), cluster.environment_images);
  return context_.options.cache_dir / kRecentEnvironmentsFolder /
         Sha256::Of(what + manifest_key.Hex()).Hex().substr(0, kNameLength);
}

}  // namespace kinetic::job

#include "kinetic/try.h"

#include "env/pep/requirement.h"
#include "env/resolve/resolver.h"
#include "json/document.h"

#include <algorithm>
#include <set>

namespace kinetic::env {
namespace {

std::vector<std::string> Hashes(const Value* archive) {
  std::set<std::string> hashes;
  const auto add = [&](const std::string& text) {
    if (auto hash = ParseHash(text)) hashes.insert(*std::move(hash));
  };
  if (archive == nullptr) return {};
  const Value* const many = archive->Find("hashes");
  if (many != nullptr && many->AsMap() != nullptr) {
    for (const auto& [algorithm, hex] : *many->AsMap()) {
      if (hex.AsString() != nullptr) add(algorithm + ":" + *hex.AsString());
    }
  }
  const Value* const one = archive->Find("hash");
  if (one != nullptr && one->AsString() != nullptr) add(*one->AsString());
  return {hashes.begin(), hashes.end()};
}

Result<LockedPackage> Package(const Value& item) {
  static const Value kNothing{Value::Map{}};
  json::ObjectReader reader(item, "pip's report");
  const Value* const info = reader.Member("download_info");
  const Value* const metadata = reader.Member("metadata");
  json::ObjectReader described(metadata != nullptr ? *metadata : kNothing,
                               "pip's report: metadata");
  json::ObjectReader download(info != nullptr ? *info : kNothing, "pip's report: download_info");
  LockedPackage package;
  package.name = NormalizedName(described.String("name"));
  package.version = described.String("version");
  const std::string url = download.String("url");
  const bool direct = reader.OptionalBool("is_direct").value_or(false);
  for (const auto& status : {reader.Finish(), described.Finish(), download.Finish()}) {
    if (!status) return Fail(ErrorCode::kInternal, status.error().message);
  }
  if (direct) package.url = url;
  package.hashes = Hashes(download.Member("archive_info"));
  if (package.hashes.empty()) {
    const bool from_index = download.Member("archive_info") != nullptr;
    return Fail(
        ErrorCode::kFailedPrecondition,
        package.name + " " + package.version +
            (from_index ? " has no hash in its package index"
                        : " comes from a folder or from version control, which has no hash"),
        "install it from an index, or specify an archive by URL");
  }
  return package;
}

}  // namespace

Result<std::vector<LockedPackage>> ParsePipReport(std::string_view json) {
  const auto report = Value::FromJson(json);
  const Value* const install = report ? report->Find("install") : nullptr;
  if (install == nullptr || install->AsList() == nullptr) {
    return Fail(ErrorCode::kInternal, "cannot read pip's report: unexpected format");
  }
  std::vector<LockedPackage> packages;
  for (const Value& item : *install->AsList()) {
    KINETIC_ASSIGN_OR_RETURN(LockedPackage package, Package(item));
    packages.push_back(std::move(package));
  }
  std::sort(packages.begin(), packages.end(),
            [](const auto& a, const auto& b) { return a.name < b.name; });
  return packages;
}

}  // namespace kinetic::env

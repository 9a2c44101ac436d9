#include "pod/package_build_request.h"

#include "kinetic/try.h"

#include "base/hash/digest.h"
#include "base/strings.h"
#include "connect/cloud_options.h"
#include "json/document.h"
#include "record/json_fields.h"

#include <algorithm>
#include <array>
#include <utility>

namespace kinetic::pod {
namespace {

constexpr std::string_view kPackagesRequestKind = "the package build request";
constexpr std::string_view kEllipsisLine = "  […]";

std::string ErrorToJson(const Error& error) {
  return Value(Value::Map{{"code", std::string(Name(error.code))},
                          {"message", error.message},
                          {"hint", error.hint}})
      .ToJson();
}

/// Truncates a text between two characters.
std::string Truncated(std::string_view text, std::size_t bytes) {
  if (text.size() <= bytes) return std::string(text);
  const auto continues = [&](std::size_t at) {
    return (static_cast<unsigned char>(text[at]) & 0xC0U) == 0x80U;
  };
  while (bytes > 0 && continues(bytes)) --bytes;
  return std::string(text.substr(0, bytes)) + "…";
}

/// Keeps the first and the last lines, which say what failed and why.
std::string WithoutMiddle(std::vector<std::string> lines, std::size_t left_out) {
  lines.erase(lines.begin() + 1, lines.begin() + 1 + static_cast<std::ptrdiff_t>(left_out));
  lines.insert(lines.begin() + 1, std::string(kEllipsisLine));
  return Join(lines, "\n");
}

std::string Shortened(Error error) {
  constexpr std::size_t kLongestLine = 400;
  std::vector<std::string> lines;
  for (const auto line : Split(error.message, '\n')) {
    lines.push_back(Truncated(line, kLongestLine));
  }
  error.hint = Truncated(error.hint, kLongestLine);
  error.message = Join(lines, "\n");
  std::string json = ErrorToJson(error);
  for (std::size_t out = 1; json.size() > kTerminationBytes && out < lines.size(); ++out) {
    error.message = WithoutMiddle(lines, out);
    json = ErrorToJson(error);
  }
  return json;
}

}  // namespace

std::string ToJson(const PackageBuildRequest& request) {
  return Value(Value::Map{{"version", 1},
                          {"request", request.request_name},
                          {"request_sha256", request.request_sha256},
                          {"store", request.store},
                          {"cloud", connect::ToValue(request.cloud)}})
      .ToJson();
}

Result<PackageBuildRequest> PackageBuildRequestFromJson(std::string_view json) {
  auto value = Value::FromJson(json);
  if (!value) return Failure(std::move(value).error().Context(kPackagesRequestKind));
  if (value->AsMap() == nullptr) {
    return Fail(ErrorCode::kDataLoss, std::string(kPackagesRequestKind) + ": not an object");
  }
  json::ObjectReader reader(*value, std::string(kPackagesRequestKind));
  PackageBuildRequest request;
  if (reader.Int("version") != 1) reader.Reject("version", "created by another version of kinetic");
  request.request_name = reader.String("request");
  request.request_sha256 = reader.String("request_sha256");
  if (!Digest::FromHex(request.request_sha256)) reader.Reject("request_sha256", "not a digest");
  request.store = reader.String("store");
  const Value* cloud = reader.Member("cloud");
  if (cloud == nullptr) reader.Reject("cloud", "expected a map, found nothing");
  KINETIC_RETURN_IF_ERROR(reader.Finish());
  KINETIC_ASSIGN_OR_RETURN(request.cloud, connect::CloudOptionsFromValue(*cloud));
  return request;
}

std::string PrivateUrlsToJson(const std::map<std::string, std::string>& urls) {
  Value::Map map;
  for (const auto& [shown, full] : urls) map.emplace_back(shown, full);
  return Value(std::move(map)).ToJson();
}

Result<std::map<std::string, std::string>> PrivateUrlsFromJson(std::string_view json) {
  const auto no_urls = [] {
    return Fail(ErrorCode::kDataLoss, "the credentials of package indexes cannot be read");
  };
  const auto value = Value::FromJson(json);
  if (!value || value->AsMap() == nullptr) return no_urls();
  std::map<std::string, std::string> urls;
  for (const auto& [shown, full] : *value->AsMap()) {
    if (full.AsString() == nullptr) return no_urls();
    urls.emplace(shown, *full.AsString());
  }
  return urls;
}

std::string OutcomeToJson(const Status& outcome) {
  return outcome ? Value(Value::Map{{"code", "OK"}}).ToJson() : Shortened(outcome.error());
}

std::optional<Status> OutcomeFromJson(std::string_view json) {
  const auto value = Value::FromJson(json);
  if (!value || value->AsMap() == nullptr) return std::nullopt;
  json::ObjectReader reader(*value, "the outcome");
  const std::string name = reader.String("code");
  if (name == "OK") return Status();
  Error error;
  error.message = reader.String("message");
  error.hint = reader.String("hint");
  const auto code = record::ParseErrorCode(name);
  if (!reader.Finish() || !code) return std::nullopt;
  error.code = *code;
  return Failure(std::move(error));
}

}  // namespace kinetic::pod

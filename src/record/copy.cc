#include "record/copy.h"

#include "kinetic/try.h"

#include "json/document.h"
#include "record/json_fields.h"

#include <utility>

namespace kinetic::record {
namespace {

constexpr std::int64_t kCopyVersion = 1;

Value::Map CopyFields(const JobKey& job) {
  return {{"version", Value(kCopyVersion)}, {"id", job.id}, {"nonce", job.nonce}};
}

JobKey ReadJob(json::ObjectReader& reader) {
  std::string id = reader.String("id");
  return {std::move(id), reader.String("nonce")};
}

ErrorCode ReadErrorCode(json::ObjectReader& reader) {
  const std::string name = reader.String("code");
  for (int i = 0; i <= static_cast<int>(ErrorCode::kInternal); ++i) {
    const auto code = static_cast<ErrorCode>(i);
    if (name == Name(code)) return code;
  }
  return ErrorCode::kInternal;
}

}  // namespace

std::string ToJson(const CopyRequest& request) {
  Value::Map fields = CopyFields(request.job);
  fields.emplace_back("upload", request.is_upload);
  fields.emplace_back("path", request.path);
  fields.emplace_back("name", request.name);
  fields.emplace_back("folder", request.is_folder);
  return json::WriteDocument(std::move(fields));
}

std::string ToJson(const CopyProgress& progress) {
  Value::Map fields = CopyFields(progress.job);
  fields.emplace_back("done_bytes", CountValue(progress.done_bytes));
  fields.emplace_back("total_bytes", CountValue(progress.total_bytes));
  return json::WriteDocument(std::move(fields));
}

std::string ToJson(const CopyAnswer& answer) {
  Value::Map fields = CopyFields(answer.job);
  if (answer.error) {
    fields.emplace_back("code", std::string(Name(answer.error->code)));
    fields.emplace_back("message", answer.error->message);
    fields.emplace_back("hint", answer.error->hint);
    return json::WriteDocument(std::move(fields));
  }
  fields.emplace_back("folder", answer.is_folder);
  fields.emplace_back("path", answer.path);
  fields.emplace_back("files", CountValue(answer.files));
  fields.emplace_back("bytes", CountValue(answer.bytes));
  fields.emplace_back("skipped", TextsValue(answer.skipped));
  return json::WriteDocument(std::move(fields));
}

Result<CopyRequest> CopyRequestFromJson(std::string_view json) {
  KINETIC_ASSIGN_OR_RETURN(const Value value, json::ReadDocument(json, "copy request"));
  json::ObjectReader reader(value, "copy request");
  KINETIC_RETURN_IF_ERROR(CheckVersion(reader, kCopyVersion));
  CopyRequest request;
  request.job = ReadJob(reader);
  request.is_upload = reader.Bool("upload");
  request.path = reader.String("path");
  request.name = reader.String("name");
  request.is_folder = reader.Bool("folder");
  KINETIC_RETURN_IF_ERROR(reader.Finish());
  return request;
}

Result<CopyProgress> CopyProgressFromJson(std::string_view json) {
  KINETIC_ASSIGN_OR_RETURN(const Value value, json::ReadDocument(json, "copy progress"));
  json::ObjectReader reader(value, "copy progress");
  KINETIC_RETURN_IF_ERROR(CheckVersion(reader, kCopyVersion));
  CopyProgress progress;
  progress.job = ReadJob(reader);
  progress.done_bytes = ReadCount(reader, "done_bytes");
  progress.total_bytes = ReadCount(reader, "total_bytes");
  KINETIC_RETURN_IF_ERROR(reader.Finish());
  return progress;
}

Result<CopyAnswer> CopyAnswerFromJson(std::string_view json) {
  KINETIC_ASSIGN_OR_RETURN(const Value value, json::ReadDocument(json, "copy answer"));
  json::ObjectReader reader(value, "copy answer");
  KINETIC_RETURN_IF_ERROR(CheckVersion(reader, kCopyVersion));
  CopyAnswer answer;
  answer.job = ReadJob(reader);
  if (reader.Has("code")) {
    const ErrorCode code = ReadErrorCode(reader);
    std::string message = reader.String("message");
    answer.error = Error{code, std::move(message), reader.String("hint"), {}};
  } else {
    answer.is_folder = reader.Bool("folder");
    answer.path = reader.String("path");
    answer.files = ReadCount(reader, "files");
    answer.bytes = ReadCount(reader, "bytes");
    answer.skipped = ReadTexts(reader, "skipped");
  }
  KINETIC_RETURN_IF_ERROR(reader.Finish());
  return answer;
}

}  // namespace kinetic::record

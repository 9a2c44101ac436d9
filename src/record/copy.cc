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

/// Reads the fields that all documents have, and then the others with `read`.
template <typename Document, typename Read>
Result<Document> ReadCopy(std::string_view json, std::string_view what, const Read& read) {
  KINETIC_ASSIGN_OR_RETURN(const Value value, json::ReadDocument(json, what));
  json::ObjectReader reader(value, std::string(what));
  KINETIC_RETURN_IF_ERROR(CheckVersion(reader, kCopyVersion));
  Document document;
  document.job.id = reader.String("id");
  document.job.nonce = reader.String("nonce");
  read(reader, document);
  KINETIC_RETURN_IF_ERROR(reader.Finish());
  return document;
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
  const auto read = [](json::ObjectReader& reader, CopyRequest& request) {
    request.is_upload = reader.Bool("upload");
    request.path = reader.String("path");
    request.name = reader.String("name");
    request.is_folder = reader.Bool("folder");
  };
  return ReadCopy<CopyRequest>(json, "copy request", read);
}

Result<CopyProgress> CopyProgressFromJson(std::string_view json) {
  const auto read = [](json::ObjectReader& reader, CopyProgress& progress) {
    progress.done_bytes = ReadCount(reader, "done_bytes");
    progress.total_bytes = ReadCount(reader, "total_bytes");
  };
  return ReadCopy<CopyProgress>(json, "copy progress", read);
}

Result<CopyAnswer> CopyAnswerFromJson(std::string_view json) {
  const auto read = [](json::ObjectReader& reader, CopyAnswer& answer) {
    if (reader.Has("code")) {
      Error error;
      error.code = ParseErrorCode(reader.String("code")).value_or(ErrorCode::kInternal);
      error.message = reader.String("message");
      error.hint = reader.String("hint");
      answer.error = std::move(error);
      return;
    }
    answer.is_folder = reader.Bool("folder");
    answer.path = reader.String("path");
    answer.files = ReadCount(reader, "files");
    answer.bytes = ReadCount(reader, "bytes");
    answer.skipped = ReadTexts(reader, "skipped");
  };
  return ReadCopy<CopyAnswer>(json, "copy answer", read);
}

}  // namespace kinetic::record

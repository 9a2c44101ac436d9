#include "support/gcs_server/upload.h"

#include "base/strings.h"
#include "support/gcs_server/crc32c.h"
#include "support/gcs_server/errors.h"
#include "support/gcs_server/handlers.h"
#include "support/gcs_server/multipart.h"

namespace kinetic::gcs_server {
namespace {

using nlohmann::json;

constexpr std::size_t kUploadPieceBytes = 1U << 20;
constexpr std::size_t kNameBytes = 1024;

Outcome<std::string> NameOf(const Request& request, const json& metadata) {
  const auto asked = request.Query("name");
  const auto member = metadata.find("name");
  const bool has_member = member != metadata.end() && member->is_string();
  if (asked && has_member && *asked != member->get<std::string>()) {
    return Refuse(Invalid("Value '" + member->get<std::string>() +
                          "' in content does not agree with value '" + *asked + "'."));
  }
  const std::string name = asked ? *asked : has_member ? member->get<std::string>() : "";
  if (name.empty()) return Refuse(ErrorReply(400, "required", "Required"));
  const bool fits = name.size() <= kNameBytes && IsUtf8(name) && name != "." && name != ".." &&
                    name.find_first_of("\r\n") == std::string::npos;
  if (!fits) return Refuse(Invalid("Invalid object name."));
  return name;
}

std::string MismatchText(const char* sum, const std::string& wanted, const std::string& found) {
  return std::string("Provided ") + sum + " hash \"" + wanted + "\" doesn't match calculated " +
         sum + " hash \"" + found + "\".";
}

Outcome<WrittenContent> Receive(Call& call, const DeclaredSums& sums) {
  ContentWriter writer(call.state.contents, call.state.behavior.md5 || sums.md5.has_value());
  std::vector<char> buffer(kUploadPieceBytes);
  while (true) {
    const auto piece = Fill(call.body, buffer);
    if (piece.state == BodySource::State::kLost) return Refuse(Invalid("The body was cut short."));
    if (!writer.Append({buffer.data(), piece.size})) return Refuse(BackendError());
    if (piece.state == BodySource::State::kEnd) return writer.Finish();
  }
}

Reply StoreMedia(Call& call, const std::string& bucket, const json& metadata) {
  const auto plan = PlanUpload(call, bucket, metadata);
  if (!plan) return plan.error();
  auto written = Receive(call, plan->sums);
  if (!written) return written.error();
  const auto object = CommitUpload(call, *plan, *std::move(written));
  return object ? ObjectReply(call, **object) : object.error();
}

Reply UploadMedia(Call& call, const std::string& bucket) {
  json metadata = json::object();
  const std::string type = call.request.Header("Content-Type");
  if (!type.empty()) metadata["contentType"] = type;
  return StoreMedia(call, bucket, metadata);
}

Reply UploadMultipart(Call& call, const std::string& bucket) {
  const auto boundary = BoundaryOf(call.request.Header("Content-Type"));
  if (!boundary) return Invalid("Missing multipart boundary.");
  MultipartReader parts(call.body, *boundary);
  const auto head = parts.NextPart();
  const auto text = head ? ReadAll(parts) : std::nullopt;
  if (!text) return Invalid("Multipart must have two parts.");
  auto metadata = ParseResource(*text);
  if (!metadata) return metadata.error();
  const auto media_head = parts.NextPart();
  if (!media_head) return Invalid("Multipart must have two parts.");
  const auto type = media_head->Get("Content-Type");
  if (type && !metadata->contains("contentType")) (*metadata)["contentType"] = std::string(*type);
  Call media{call.request, parts, call.grant, call.state};
  Reply reply = StoreMedia(media, bucket, *metadata);
  return reply;
}

}  // namespace

Outcome<UploadPlan> PlanUpload(const Call& call, const std::string& bucket, const json& metadata) {
  const auto name = NameOf(call.request, metadata);
  if (!name) return Refuse(name.error());
  if (auto may = call.grant.Require("storage.objects.create", bucket + "/" + *name); !may) {
    return Refuse(may.error());
  }
  if (auto there = call.state.storage.Bucket(bucket); !there) return Refuse(there.error());
  UploadPlan plan{bucket, *name, {}, {}, {}};
  auto attributes = ReadAttributes(metadata);
  if (!attributes) return Refuse(attributes.error());
  plan.attributes = *std::move(attributes);
  if (const auto coding = call.request.Query("contentEncoding")) {
    plan.attributes["contentEncoding"] = *coding;
  }
  auto sums = DeclaredSums::FromMetadata(metadata);
  if (!sums) return Refuse(sums.error());
  plan.sums = *std::move(sums);
  if (auto added = plan.sums.Add(call.request.headers); !added) return Refuse(added.error());
  auto conditions = Preconditions::Of(call.request);
  if (!conditions) return Refuse(conditions.error());
  plan.conditions = *std::move(conditions);
  return plan;
}

Outcome<void> CheckPlan(const Call& call, const UploadPlan& plan) {
  const ObjectPtr live = call.state.storage.Live(plan.bucket, plan.name);
  return WriteCheck(call, plan.conditions)(live.get());
}

Outcome<ObjectPtr> CommitUpload(Call& call, const UploadPlan& plan, WrittenContent written) {
  const std::string crc32c = Crc32cText(written.crc32c);
  if (plan.sums.crc32c && *plan.sums.crc32c != crc32c) {
    return Refuse(Invalid(MismatchText("CRC32C", *plan.sums.crc32c, crc32c)));
  }
  if (plan.sums.md5 && !written.md5) {  // declared after the last byte
    Md5 md5;
    written.content.Read(0, written.content.size_bytes(), [&md5](std::string_view piece) {
      md5.Update(piece);
      return true;
    });
    written.md5 = md5.Finish();
  }
  if (plan.sums.md5 && *plan.sums.md5 != *written.md5) {
    return Refuse(Invalid(MismatchText("MD5", *plan.sums.md5, *written.md5)));
  }
  Object object;
  object.bucket = plan.bucket;
  object.name = plan.name;
  object.content = std::move(written.content);
  object.crc32c = written.crc32c;
  object.md5 = std::move(written.md5);
  object.attributes = plan.attributes;
  return call.state.storage.Put(std::move(object), WriteCheck(call, plan.conditions));
}

Reply Upload(Call& call, const std::string& bucket) {
  const std::string type = call.request.Query("uploadType").value_or("");
  if (type == "media") return UploadMedia(call, bucket);
  if (type == "multipart") return UploadMultipart(call, bucket);
  if (type == "resumable") return StartSession(call, bucket);
  return InvalidArgument("uploadType", type);
}

}  // namespace kinetic::gcs_server

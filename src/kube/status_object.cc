#include "base/strings.h"
#include "kube/error.h"
#include "kube/object.h"

namespace kinetic::kube {
namespace {

void ReadDetails(const Value& details, StatusObject& status) {
  status.kind = TextAt(details, {"kind"});
  status.name = TextAt(details, {"name"});
  const Value* seconds = details.Find("retryAfterSeconds");
  if (seconds != nullptr && seconds->AsInt() != nullptr && *seconds->AsInt() > 0) {
    status.retry_after = std::chrono::seconds(*seconds->AsInt());
  }
  const Value* causes = details.Find("causes");
  if (causes == nullptr || causes->AsList() == nullptr) return;
  for (const Value& cause : *causes->AsList()) {
    const std::string field(TextAt(cause, {"field"}));
    status.causes.emplace_back(
        TextAt(cause, {"reason"}),
        (field.empty() ? "" : field + ": ") + std::string(TextAt(cause, {"message"})));
  }
}

}  // namespace

StatusObject ParseStatus(const Value& object) {
  StatusObject status;
  const Value* code = object.Find("code");
  if (code != nullptr && code->AsInt() != nullptr) status.code = static_cast<int>(*code->AsInt());
  status.reason = TextAt(object, {"reason"});
  status.message = TextAt(object, {"message"});
  status.next = TextAt(object, {"metadata", "continue"});
  if (const Value* details = object.Find("details")) ReadDetails(*details, status);
  return status;
}

StatusObject ParseStatus(int code, std::string_view body) {
  StatusObject status;
  const auto object = Value::FromJson(body);
  if (object && object->AsMap() != nullptr) {
    status = ParseStatus(*object);
  } else {
    constexpr std::size_t kEnough = 300;
    const std::string text(Trim(body.substr(0, kEnough)));
    if (!text.starts_with('<')) status.message = text;
  }
  status.code = code;
  return status;
}

bool IsUnservedResource(const StatusObject& status) {
  // For an unknown group the router responds with plain text. For an unknown kind of a known group
  // the server responds with a Status without a name.
  return status.code == 404 &&
         (status.message == "404 page not found" ||
          (status.name.empty() &&
           status.message == "the server could not find the requested resource"));
}

}  // namespace kinetic::kube

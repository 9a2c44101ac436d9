#include "kinetic/try.h"

#include "base/strings.h"
#include "http/url.h"
#include "json/document.h"
#include "oci/registry/access.h"
#include "oci/registry/repository.h"

#include <utility>

namespace kinetic::oci {
namespace {

/// Returns the URL with rel="next" in a Link header, or an empty string.
///
/// @source RFC 8288, section 3
std::string NextLink(std::string_view field) {
  while (true) {
    const std::size_t begin = field.find('<');
    const std::size_t end = field.find('>', begin);
    if (end == std::string_view::npos) return {};
    const std::string_view target = field.substr(begin + 1, end - begin - 1);
    field.remove_prefix(end + 1);
    const std::string about = ToLower(field.substr(0, field.find('<')));
    if (about.find("rel=\"next\"") != std::string::npos ||
        about.find("rel=next") != std::string::npos) {
      return std::string(target);
    }
  }
}

/// Returns the URL of the next page, or an empty string after the last one.
Result<std::string> NextPage(const RegistryAddress& registry, const http::Request& request,
                             const http::Response& response) {
  std::string next = NextLink(response.headers.Joined("link"));
  if (next.empty()) return next;
  if (next.starts_with('/')) next.insert(0, registry.url);
  if (!http::IsSameOrigin(next, registry.url) || next == request.url) {
    return Fail(ErrorCode::kDataLoss, registry.name + " returned an invalid URL for the next page");
  }
  return next;
}

/// Reads `{"name":"team/app","tags":["1.0"]}`. `tags` is null if all tags were removed.
Status ReadTags(const http::Response& response, std::vector<std::string>& tags) {
  const std::string where = "the list of tags";
  const auto body = Value::FromJson(response.body);
  if (!body) return Fail(ErrorCode::kDataLoss, where + " is not JSON");
  const Value* list = body->Find("tags");
  if (list == nullptr || list->IsNull()) return {};
  if (list->AsList() == nullptr) return Fail(ErrorCode::kDataLoss, where + " is not a list");
  for (const Value& tag : *list->AsList()) {
    if (tag.AsString() == nullptr)
      return Fail(ErrorCode::kDataLoss, where + " contains an invalid value");
    tags.push_back(*tag.AsString());
  }
  return {};
}

}  // namespace

Result<std::vector<std::string>> Repository::ListTags(std::stop_token stop) const {
  const std::string operation = "listing the tags of " + Text();
  std::vector<std::string> tags;
  std::string page = BaseUrl().Part("tags").Part("list").Text();
  while (!page.empty()) {
    const http::Request request = MakeRequest("GET", page);
    KINETIC_ASSIGN_OR_RETURN(const http::Response response, Send(request, operation, stop));
    if (response.status == 404) return tags;
    if (response.status != 200) return Rejected(request, response, operation);
    const auto in_context = [&](Error error) {
      return Failure(std::move(error).Context(operation));
    };
    if (auto read = ReadTags(response, tags); !read) return in_context(std::move(read).error());
    auto next = NextPage(registry_, request, response);
    if (!next) return in_context(std::move(next).error());
    page = *std::move(next);
  }
  return tags;
}

}  // namespace kinetic::oci

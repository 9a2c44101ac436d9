#include "base/strings.h"
#include "base/try.h"
#include "json/reader.h"
#include "oci/registry/reference.h"
#include "oci/registry/repository.h"

#include <utility>

namespace kinetic::oci {
namespace {

/// The address in a Link field that is said to be the next one; empty: there is none.
///
/// @source RFC 8288, section 3
std::string NextIn(std::string_view field) {
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

/// Where the next page is; empty: this was the last one. An address of another server is none.
Result<std::string> NextPage(const RegistryAddress& registry, const http::Request& request,
                             const http::Response& response) {
  std::string next = NextIn(response.headers.Joined("link"));
  if (next.empty()) return next;
  if (next.starts_with('/')) next.insert(0, registry.url);
  if (!SameServer(next, registry.url) || next == request.url) {
    return Fail(ErrorCode::kDataLoss, registry.name + " names no address for the next page");
  }
  return next;
}

/// `{"name":"team/app","tags":["1.0"]}`; the tags of a repository that lost all of them are null.
Status ReadTags(const http::Response& response, std::vector<std::string>& tags) {
  const std::string where = "the list of tags";
  const auto body = Value::FromJson(response.body);
  if (!body) return Fail(ErrorCode::kDataLoss, where + " is no JSON");
  const Value* list = body->Find("tags");
  if (list == nullptr || list->IsNull()) return {};
  if (list->AsList() == nullptr) return Fail(ErrorCode::kDataLoss, where + " is no list");
  for (const Value& tag : *list->AsList()) {
    if (tag.AsString() == nullptr) return Fail(ErrorCode::kDataLoss, where + " has other things");
    tags.push_back(*tag.AsString());
  }
  return {};
}

}  // namespace

Result<std::vector<std::string>> Repository::ListTags(std::stop_token stop) const {
  const std::string doing = "listing the tags of " + Text();
  std::vector<std::string> tags;
  std::string page = Address().Part("tags").Part("list").Text();
  while (!page.empty()) {
    const http::Request request = RequestTo("GET", page);
    KINETIC_ASSIGN_OR_RETURN(const http::Response response, Send(request, doing, stop));
    if (response.status == 404) return tags;
    if (response.status != 200) return Refused(request, response, doing);
    const auto in_context = [&](Error error) { return Failure(std::move(error).Context(doing)); };
    if (auto read = ReadTags(response, tags); !read) return in_context(std::move(read).error());
    auto next = NextPage(registry_, request, response);
    if (!next) return in_context(std::move(next).error());
    page = *std::move(next);
  }
  return tags;
}

}  // namespace kinetic::oci

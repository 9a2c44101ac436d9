#include "kinetic/try.h"

#include "base/time/clock.h"
#include "gcs/client.h"
#include "gcs/protocol.h"
#include "http/page_guard.h"
#include "http/url.h"
#include "json/document.h"

#include <chrono>

namespace kinetic::gcs {
namespace {

/// Pages may be empty after many objects were deleted.
constexpr int kFreeEmptyPages = 10;
constexpr std::chrono::milliseconds kEmptyPagePause{5};

std::string ListFields() {
  return "nextPageToken,prefixes,items(" + std::string(kObjectFields) + ")";
}

Result<Value> FetchPage(const Sender& sender, const http::Request& request,
                        const std::string& where, const std::stop_token& stop) {
  for (int read = 1;; ++read) {
    KINETIC_ASSIGN_OR_RETURN(const http::Response response,
                             sender.Send(request, http::Idempotency::kIdempotent, stop));
    if (response.status != 200) return Failure(ErrorFromResponse(request, response));
    auto page = Value::FromJson(response.body);
    if (page) return page;
    if (read < kMaxReadAttempts) continue;
    return Fail(ErrorCode::kDataLoss, where + ": " + page.error().message);
  }
}

bool IsEmptyPage(const Value& page) {
  for (const char* list : {"items", "prefixes"}) {
    const Value* found = page.Find(list);
    if (found != nullptr && found->AsList() != nullptr && !found->AsList()->empty()) return false;
  }
  return true;
}

/// Passes the objects of a page to `each`, and returns the next page's token, or an empty string.
Result<std::string> ReadPage(const Value& page, const std::string& where,
                             const std::function<Result<bool>(const Object&)>& each,
                             std::vector<std::string>* prefixes) {
  json::ObjectReader reader(page, where);
  std::string next = reader.OptionalString("nextPageToken").value_or("");
  if (prefixes != nullptr && reader.Has("prefixes")) {
    for (const Value& prefix : reader.List("prefixes")) {
      if (prefix.AsString() != nullptr) prefixes->push_back(*prefix.AsString());
    }
  }
  if (reader.Has("items")) {
    for (const Value& item : reader.List("items")) {
      KINETIC_ASSIGN_OR_RETURN(const Object object, ParseObject(item, where));
      KINETIC_ASSIGN_OR_RETURN(const bool more, each(object));
      if (!more) return std::string();
    }
  }
  KINETIC_RETURN_IF_ERROR(reader.Finish());
  return next;
}

}  // namespace

Status Client::List(const ListOptions& options,
                    const std::function<Result<bool>(const Object&)>& each,
                    std::vector<std::string>* prefixes, std::stop_token stop) const {
  const std::string where = "the listing of gs://" + bucket_;
  http::PageGuard guard(where);
  std::string token;
  for (;;) {
    http::Url url = ObjectsUrl("");
    url.Query("fields", ListFields()).Query("maxResults", "1000");
    if (!options.prefix.empty()) url.Query("prefix", options.prefix);
    if (!options.start.empty()) url.Query("startOffset", options.start);
    if (!options.delimiter.empty()) url.Query("delimiter", options.delimiter);
    if (!options_.user_project.empty()) url.Query("userProject", options_.user_project);
    if (!token.empty()) url.Query("pageToken", token);
    http::Request request;
    request.url = url.Text();
    KINETIC_ASSIGN_OR_RETURN(const Value page, FetchPage(sender_, request, where, stop));
    KINETIC_ASSIGN_OR_RETURN(token, ReadPage(page, where, each, prefixes));
    if (token.empty()) return {};
    KINETIC_RETURN_IF_ERROR(guard.Check(token, IsEmptyPage(page)));
    if (guard.empty_pages() > kFreeEmptyPages)
      KINETIC_RETURN_IF_ERROR(SystemClock().Sleep(kEmptyPagePause, stop));
  }
}

}  // namespace kinetic::gcs

#include "kinetic/try.h"

#include "http/page_guard.h"
#include "kube/error.h"
#include "kube/object.h"
#include "kube/sender.h"

namespace kinetic::kube {
namespace {

constexpr int kMaxRestarts = 5;

struct PageInfo {
  std::string version;
  std::string next;
  bool is_empty = true;
};

Result<PageInfo> ReadPage(const PagedList& listing, const http::Response& response) {
  const auto page = Value::FromJson(WithoutManagedFields(response.body));
  const Value* items = page ? page->Find("items") : nullptr;
  PageInfo end;
  if (page) {
    end = {std::string(ResourceVersionOf(*page)),
           std::string(TextAt(*page, {"metadata", "continue"})), true};
  }
  if (end.version.empty() || (items != nullptr && !items->IsNull() && items->AsList() == nullptr)) {
    return Fail(ErrorCode::kDataLoss, listing.operation.Text() + ": the response is not a list" +
                                          (page ? "" : " (" + page.error().message + ")"));
  }
  if (items == nullptr || items->AsList() == nullptr) return end;
  end.is_empty = items->AsList()->empty();
  for (const Value& item : *items->AsList()) KINETIC_RETURN_IF_ERROR(listing.each(item));
  return end;
}

}  // namespace

void AddSelectors(http::Url& url, const ListOptions& query) {
  if (!query.label_selector.empty()) url.Query("labelSelector", query.label_selector);
  if (!query.field_selector.empty()) url.Query("fieldSelector", query.field_selector);
}

Result<std::string> ReadPages(const PagedList& listing) {
  std::string next;
  http::PageGuard guard(listing.operation.Text());
  for (int restarts = 0;;) {
    http::Url url = listing.url;
    AddSelectors(url, listing.query);
    url.Query("limit", std::to_string(listing.query.page_items));
    if (!next.empty()) url.Query("continue", next);
    KINETIC_ASSIGN_OR_RETURN(const http::Response response, listing.fetch(url.Text()));
    if (response.status == 410 && !next.empty() && restarts < kMaxRestarts) {
      ++restarts;
      next.clear();
      guard = http::PageGuard(listing.operation.Text());
      listing.on_restart();
      continue;
    }
    if (response.status != 200) return Failure(ToError(listing.operation, response));
    KINETIC_ASSIGN_OR_RETURN(PageInfo page, ReadPage(listing, response));
    if (page.next.empty()) return std::move(page.version);
    next = std::move(page.next);
    KINETIC_RETURN_IF_ERROR(guard.Check(next, page.is_empty));
  }
}

}  // namespace kinetic::kube

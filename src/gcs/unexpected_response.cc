#include "base/strings.h"
#include "gcs/protocol.h"
#include "http/retry.h"

#include <algorithm>

namespace kinetic::gcs {
namespace {

constexpr std::size_t kPageBytes = 4096;

bool HasStorageHeader(const http::Response& response) {
  return std::any_of(response.headers.begin(), response.headers.end(),
                     [](const auto& field) { return ToLower(field.first).starts_with("x-goog-"); });
}

bool BeginsWithTag(std::string_view text) { return Trim(text).starts_with('<'); }

/// Keeps a 2xx answer that is not Cloud Storage's from the sink. Cloud Storage sends content with
/// fields x-goog-…, and everything else as JSON, as a batch, or empty.
class Guard {
 public:
  Guard(const http::Request& request, const http::Sink& sink)
      : request_(request),
        sink_(sink),
        media_(request.url.find("alt=media") != std::string::npos) {}

  http::Request Guarded() {
    http::Request guarded = request_;
    if (!media_) return guarded;
    begun_ = true;
    guarded.on_head = [this](const http::Response& head) {
      foreign_ = !HasStorageHeader(head);
      if (!foreign_ && request_.on_head) request_.on_head(head);
    };
    return guarded;
  }
  Status Take(std::string_view piece) {
    if (!begun_) foreign_ = BeginsWithTag(piece);
    begun_ = true;
    if (!foreign_) return sink_(piece);
    page_ += piece.substr(0, kPageBytes - std::min(kPageBytes, page_.size()));
    return {};
  }
  bool foreign() const { return foreign_; }
  const std::string& page() const { return page_; }

 private:
  const http::Request& request_;
  const http::Sink& sink_;
  const bool media_;
  bool begun_ = false;  ///< whether it is known where the answer is from
  bool foreign_ = false;
  std::string page_;
};

}  // namespace

std::optional<std::string> RedirectTarget(const http::Response& response) {
  const auto target = response.headers.Get("location");
  if (response.status / 100 != 3 || !target) return std::nullopt;
  return std::string(*target);
}

bool IsHtml(const http::Response& response) {
  const std::string_view begin = std::string_view(response.body).substr(0, kPageBytes);
  return BeginsWithTag(begin) && !Trim(begin).starts_with("<?xml");
}

std::string HtmlTitle(std::string_view html) {
  constexpr std::size_t kMaxTitle = 80;
  const std::string lower = ToLower(html.substr(0, kPageBytes));
  const std::size_t begin = lower.find("<title>");
  if (begin == std::string::npos) return {};
  const std::string_view rest = html.substr(begin + 7);
  return std::string(Trim(rest.substr(0, std::min(rest.find('<'), kMaxTitle))));
}

Result<http::Response> CloudStorageTransport::Stream(const http::Request& request,
                                                     const http::Sink& sink, std::stop_token stop) {
  Guard guard(request, sink);
  auto response = inner_->Stream(
      guard.Guarded(), [&](std::string_view piece) { return guard.Take(piece); }, std::move(stop));
  if (!response || http::IsRetryable(*response)) return response;
  if (guard.foreign()) response->body = guard.page();
  if (response->status / 100 == 2 && !guard.foreign()) return response;
  Error error = ErrorFromResponse(request, *response);
  if (error.code == ErrorCode::kUnavailable) return Failure(std::move(error));
  return response;
}

}  // namespace kinetic::gcs

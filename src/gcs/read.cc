#include "base/hash/crc32c.h"
#include "base/strings.h"
#include "base/try.h"
#include "gcs/client.h"
#include "gcs/protocol.h"
#include "http/redacted.h"

namespace kinetic::gcs {
namespace {

constexpr std::string_view kMetadataPrefix = "x-goog-meta-";
/// Objects up to this size are passed on when they have been checked, and are read again when they
/// are damaged; what is larger is passed on as it comes.
constexpr std::uint64_t kHeldBytes = 1U << 20;

std::int64_t NumberIn(const http::Headers& headers, std::string_view name) {
  return ParseInt(headers.Get(name).value_or("")).value_or(0);
}

/// "crc32c=…" of x-goog-hash, which may be one field or several.
std::string ChecksumIn(const http::Headers& headers) {
  const std::string joined = headers.Joined("x-goog-hash");
  for (std::string_view part : Split(joined, ',')) {
    part = Trim(part);
    if (part.starts_with("crc32c=")) return std::string(part.substr(7));
  }
  return {};
}

/// What the header fields of a download say of the object.
Object ObjectIn(const http::Headers& headers, const std::string& name) {
  Object object;
  object.name = name;
  object.size_bytes = static_cast<std::uint64_t>(NumberIn(headers, "x-goog-stored-content-length"));
  object.generation = NumberIn(headers, "x-goog-generation");
  object.metageneration = NumberIn(headers, "x-goog-metageneration");
  object.crc32c = ChecksumIn(headers);
  object.content_encoding = headers.Get("x-goog-stored-content-encoding").value_or("");
  for (const auto& [key, value] : headers) {
    const std::string lower = ToLower(key);
    if (lower.starts_with(kMetadataPrefix)) {
      object.metadata[lower.substr(kMetadataPrefix.size())] = value;
    }
  }
  return object;
}

/// One download, over as many requests as it takes.
class Download {
 public:
  Download(const std::string& name, const ReadOptions& options, const http::Sink& sink)
      : options_(options), sink_(&sink) {
    object_.name = name;
  }

  /// The request for what is missing. @param url  of the object's content.
  http::Request Next(http::Url url);
  /// True when something has arrived since the last Next.
  bool Advanced() const { return delivered_bytes_ > asked_at_; }
  /// What the answer means: the object, nothing, or an error.
  Result<std::optional<Object>> Finish(const http::Request& request,
                                       const http::Response& response) const;
  /// What was kept until it was checked goes to the sink.
  Status PassOn() const { return held_.empty() ? Status() : (*sink_)(held_); }
  /// After kDataLoss: forgets what arrived. False: it has been passed on, or that was often enough.
  bool StartOver();
  /// Nothing arrived, and nothing was said to.
  bool Untouched() const { return delivered_bytes_ == 0; }
  /// Fewer bytes arrived than the object has.
  bool Short() const { return delivered_bytes_ < expected_bytes_; }
  Error Cut() const {
    return {
        ErrorCode::kUnavailable, "reading " + object_.name + ": the answer was cut short", "", {}};
  }
  Status Take(std::string_view piece);

 private:
  void OnHead(const http::Response& head);
  bool WantsAll() const { return options_.offset == 0 && !options_.length; }

  ReadOptions options_;
  const http::Sink* sink_;
  const std::optional<std::int64_t> wanted_generation_ = options_.generation;
  Object object_;
  std::uint64_t delivered_bytes_ = 0;
  std::uint64_t asked_at_ = 0;
  std::uint64_t expected_bytes_ = 0;  ///< as far as is known
  bool ranged_ = false;
  bool range_ignored_ = false;
  Crc32c checksum_;
  bool holds_ = false;
  std::string held_;
  int damaged_reads_ = 0;
};

http::Request Download::Next(http::Url url) {
  asked_at_ = delivered_bytes_;
  url.Query("alt", "media");
  if (options_.generation) url.Query("generation", std::to_string(*options_.generation));
  http::Request request;
  request.url = url.Text();
  // Stored bytes, whatever their encoding: what a server unpacks has neither length nor checksum.
  request.headers = {{"Accept-Encoding", "gzip"}};
  const std::uint64_t begin = options_.offset + delivered_bytes_;
  ranged_ = begin > 0 || options_.length;
  if (ranged_) {
    const std::string end =
        options_.length ? std::to_string(options_.offset + *options_.length - 1) : "";
    request.headers.Add("Range", "bytes=" + std::to_string(begin) + "-" + end);
  }
  request.on_head = [this](const http::Response& head) { OnHead(head); };
  return request;
}

void Download::OnHead(const http::Response& head) {
  const std::string known = object_.crc32c;
  object_ = ObjectIn(head.headers, object_.name);
  if (object_.crc32c.empty()) object_.crc32c = known;  // a range may come without
  // What follows a cut is of the same generation, or nothing.
  if (object_.generation > 0) options_.generation = object_.generation;
  range_ignored_ = ranged_ && head.status != 206;
  const std::uint64_t beyond = object_.size_bytes - std::min(object_.size_bytes, options_.offset);
  expected_bytes_ = std::min(beyond, options_.length.value_or(beyond));
  if (Untouched()) holds_ = WantsAll() && object_.size_bytes <= kHeldBytes;
}

Status Download::Take(std::string_view piece) {
  if (range_ignored_) {
    return Fail(ErrorCode::kDataLoss,
                "reading " + object_.name + ": the server sends the whole instead of a range");
  }
  checksum_.Update(piece);
  delivered_bytes_ += piece.size();
  if (!holds_) return (*sink_)(piece);
  held_ += piece.substr(0, kHeldBytes - held_.size());
  return {};
}

bool Download::StartOver() {
  if (!holds_ || ++damaged_reads_ == kReadsOfDamaged) return false;
  options_.generation = wanted_generation_;
  delivered_bytes_ = 0;
  expected_bytes_ = 0;
  checksum_ = {};
  held_.clear();
  return true;
}

Result<std::optional<Object>> Download::Finish(const http::Request& request,
                                               const http::Response& response) const {
  if (response.status == 404 && !Untouched()) {
    return Fail(ErrorCode::kAborted,
                "reading " + object_.name + ": it was replaced or removed in the midst",
                "read it again");
  }
  if (response.status == 404 && !BucketIsMissing(response)) return std::optional<Object>();
  const bool at_end = response.status == 416;  // the cut was behind the last byte
  if (response.status / 100 != 2 && !at_end) return Failure(ErrorOf(request, response));
  Object object = Untouched() ? ObjectIn(response.headers, object_.name) : object_;
  const bool whole = options_.offset == 0 && delivered_bytes_ == object.size_bytes;
  if ((whole || WantsAll()) && !object.crc32c.empty() && object.crc32c != checksum_.Base64()) {
    return Fail(ErrorCode::kDataLoss,
                "reading " + object_.name + ": the CRC32C is " + checksum_.Base64() +
                    ", and the server says " + object.crc32c,
                "read it again; if it happens again, the object or the network is damaged");
  }
  return std::optional<Object>(std::move(object));
}

}  // namespace

Result<std::optional<Object>> Client::Read(const std::string& name, const ReadOptions& options,
                                           const http::Sink& sink, std::stop_token stop) const {
  if (options.length == 0) return Stat(name, options.generation, std::move(stop));
  Download download(name, options, sink);
  const http::Sink take = [&](std::string_view piece) { return download.Take(piece); };
  http::Backoff backoff = sender_.NewBackoff();
  for (;;) {
    const http::Request request = download.Next(ObjectAddress(name));
    auto response = sender_.Once(request, take, stop);
    if (download.Advanced()) backoff.Reset();
    const bool retryable =
        response ? http::IsRetryable(*response)
                 : http::IsRetryable(response.error(), http::Idempotency::kIdempotent);
    const bool cut = response && response->status / 100 == 2 && download.Short();
    if (!retryable && !cut) {
      if (!response) return Failure(std::move(response).error());
      // A range that begins at the end, or past it, is empty.
      if (response->status == 416 && download.Untouched()) {
        return Stat(name, options.generation, std::move(stop));
      }
      auto object = download.Finish(request, *response);
      if (!object && object.error().code == ErrorCode::kDataLoss && download.StartOver()) continue;
      if (object) KINETIC_RETURN_IF_ERROR(download.PassOn());
      return object;
    }
    const auto wait = response ? http::RetryAfter(*response) : std::nullopt;
    const Error cause = cut        ? download.Cut()
                        : response ? ErrorOf(request, *response)
                                   : response.error();
    KINETIC_RETURN_IF_ERROR(backoff.Wait(cause, wait, stop));
  }
}

}  // namespace kinetic::gcs

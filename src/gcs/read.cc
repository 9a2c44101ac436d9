#include "kinetic/try.h"

#include "base/hash/crc32c.h"
#include "base/strings.h"
#include "base/time/clock.h"
#include "gcs/client.h"
#include "gcs/protocol.h"
#include "http/url.h"

#include <chrono>

namespace kinetic::gcs {
namespace {

constexpr std::string_view kMetadataPrefix = "x-goog-meta-";
/// Objects up to this size are verified before they are passed on.
constexpr std::uint64_t kMaxBufferedBytes = 1U << 20;

/// The rate below which a download is not progress, as in the transport.
constexpr std::int64_t kLeastBytesPerSecond = 1024;

std::int64_t NumberIn(const http::Headers& headers, std::string_view name) {
  return ParseInt(headers.Get(name).value_or("")).value_or(0);
}

/// Returns the checksum in "crc32c=…" of x-goog-hash, which may occur several times.
std::string ChecksumFromHeaders(const http::Headers& headers) {
  const std::string joined = headers.Joined("x-goog-hash");
  for (std::string_view part : Split(joined, ',')) {
    part = Trim(part);
    if (part.starts_with("crc32c=")) return std::string(part.substr(7));
  }
  return {};
}

Object ObjectFromHeaders(const http::Headers& headers, const std::string& name) {
  Object object;
  object.name = name;
  object.size_bytes = static_cast<std::uint64_t>(NumberIn(headers, "x-goog-stored-content-length"));
  object.generation = NumberIn(headers, "x-goog-generation");
  object.metageneration = NumberIn(headers, "x-goog-metageneration");
  object.crc32c = ChecksumFromHeaders(headers);
  object.content_encoding = headers.Get("x-goog-stored-content-encoding").value_or("");
  for (const auto& [key, value] : headers) {
    const std::string lower = ToLower(key);
    if (lower.starts_with(kMetadataPrefix)) {
      object.metadata[lower.substr(kMetadataPrefix.size())] = value;
    }
  }
  return object;
}

/// A download in one or more requests.
class Download {
 public:
  Download(const std::string& name, const ReadOptions& options, const http::Sink& sink)
      : options_(options), sink_(&sink) {
    object_.name = name;
  }

  /// Returns the request for the missing bytes.
  http::Request Next(http::Url url);
  /// Returns whether content has arrived at the least rate since the last call that returned true.
  bool HasProgress();
  Result<std::optional<Object>> Finish(const http::Request& request,
                                       const http::Response& response) const;
  /// Passes buffered content to the sink.
  Status Flush() const { return buffer_.empty() ? Status() : (*sink_)(buffer_); }
  /// After kDataLoss: discards buffered content. Returns false if it was passed on, or after the
  /// last attempt.
  bool Restart();
  bool NothingDelivered() const { return delivered_bytes_ == 0; }
  bool IsIncomplete() const { return delivered_bytes_ < expected_bytes_; }
  Error LostConnectionError() const {
    return {ErrorCode::kUnavailable,
            "reading " + object_.name + ": the response was incomplete",
            "",
            {}};
  }
  Status Receive(std::string_view piece);
  /// Adds the generation of content that was passed on, so that the caller can continue.
  Error WithGeneration(Error error) const {
    if (NothingDelivered() || is_buffered_ || object_.generation == 0) return error;
    return std::move(error).With(std::string(kGenerationDetail),
                                 std::to_string(object_.generation));
  }

 private:
  void OnHead(const http::Response& head);
  bool IsWholeObject() const { return options_.offset == 0 && !options_.length; }

  ReadOptions options_;
  const http::Sink* sink_;
  SteadyTime progress_at_ = SystemClock().Steady();  ///< later by the time that the sink took
  std::uint64_t progress_bytes_ = 0;                 ///< delivered by then
  const std::optional<std::int64_t> wanted_generation_ = options_.generation;
  Object object_;
  std::uint64_t delivered_bytes_ = 0;
  std::uint64_t expected_bytes_ = 0;  ///< if known
  bool ranged_ = false;
  bool range_ignored_ = false;
  Crc32c checksum_;
  bool is_buffered_ = false;
  std::string buffer_;
  int damaged_reads_ = 0;
};

http::Request Download::Next(http::Url url) {
  url.Query("alt", "media");
  if (options_.generation) url.Query("generation", std::to_string(*options_.generation));
  http::Request request;
  request.url = url.Text();
  // Requests the stored bytes. Decompressed responses have neither length nor checksum.
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
  object_ = ObjectFromHeaders(head.headers, object_.name);
  if (object_.crc32c.empty()) object_.crc32c = known;  // may be missing for a range
  // Further requests must read the same generation.
  if (object_.generation > 0) options_.generation = object_.generation;
  range_ignored_ = ranged_ && head.status != 206;
  const std::uint64_t beyond = object_.size_bytes - std::min(object_.size_bytes, options_.offset);
  expected_bytes_ = std::min(beyond, options_.length.value_or(beyond));
  if (NothingDelivered()) is_buffered_ = IsWholeObject() && object_.size_bytes <= kMaxBufferedBytes;
}

Status Download::Receive(std::string_view piece) {
  if (range_ignored_) {
    return Fail(ErrorCode::kDataLoss, "reading " + object_.name + ": the server ignored the range");
  }
  checksum_.Update(piece);
  delivered_bytes_ += piece.size();
  if (!is_buffered_) {
    const SteadyTime begin = SystemClock().Steady();
    auto taken = (*sink_)(piece);
    progress_at_ += SystemClock().Steady() - begin;
    return taken;
  }
  buffer_ += piece.substr(0, kMaxBufferedBytes - buffer_.size());
  return {};
}

bool Download::HasProgress() {
  const auto waited =
      std::chrono::floor<std::chrono::seconds>(SystemClock().Steady() - progress_at_);
  const auto arrived = static_cast<std::int64_t>(delivered_bytes_ - progress_bytes_);
  if (arrived <= 0 || arrived < kLeastBytesPerSecond * waited.count()) return false;
  progress_at_ = SystemClock().Steady();
  progress_bytes_ = delivered_bytes_;
  return true;
}

bool Download::Restart() {
  if (!is_buffered_ || ++damaged_reads_ == kMaxReadAttempts) return false;
  options_.generation = wanted_generation_;
  delivered_bytes_ = progress_bytes_ = 0;
  expected_bytes_ = 0;
  checksum_ = {};
  buffer_.clear();
  return true;
}

Result<std::optional<Object>> Download::Finish(const http::Request& request,
                                               const http::Response& response) const {
  if (response.status == 404 && !NothingDelivered()) {
    return Fail(ErrorCode::kAborted,
                "reading " + object_.name + ": it was replaced or removed while it was read",
                "retry");
  }
  if (response.status == 404 && !IsBucketMissing(response)) return std::optional<Object>();
  const bool at_end = response.status == 416;  // all bytes had arrived
  if (response.status / 100 != 2 && !at_end) return Failure(ErrorFromResponse(request, response));
  Object object = NothingDelivered() ? ObjectFromHeaders(response.headers, object_.name) : object_;
  const bool whole = options_.offset == 0 && delivered_bytes_ == object.size_bytes;
  if ((whole || IsWholeObject()) && !object.crc32c.empty() && object.crc32c != checksum_.Base64()) {
    return Fail(ErrorCode::kDataLoss,
                "reading " + object_.name + ": the CRC32C is " + checksum_.Base64() +
                    ", expected " + object.crc32c,
                "retry; if it happens again, the object or the network is damaged");
  }
  return std::optional<Object>(std::move(object));
}

}  // namespace

Result<std::optional<Object>> Client::Read(const std::string& name, const ReadOptions& options,
                                           const http::Sink& sink, std::stop_token stop) const {
  if (options.length == 0) return Stat(name, options.generation, std::move(stop));
  Download download(name, options, sink);
  const http::Sink take = [&](std::string_view piece) { return download.Receive(piece); };
  http::Backoff backoff = sender_.NewBackoff();
  for (;;) {
    const http::Request request = download.Next(ObjectUrl(name));
    auto response = sender_.SendOnce(request, take, stop);
    if (download.HasProgress()) backoff.Reset();
    const bool retryable =
        response ? http::IsRetryable(*response)
                 : http::IsRetryable(response.error(), http::Idempotency::kIdempotent);
    const bool incomplete = response && response->status / 100 == 2 && download.IsIncomplete();
    if (!retryable && !incomplete) {
      if (!response) return Failure(std::move(response).error());
      // A range at or beyond the end is empty.
      if (response->status == 416 && download.NothingDelivered()) {
        return Stat(name, options.generation, std::move(stop));
      }
      auto object = download.Finish(request, *response);
      if (!object && object.error().code == ErrorCode::kDataLoss && download.Restart()) continue;
      if (object) KINETIC_RETURN_IF_ERROR(download.Flush());
      return object;
    }
    const auto wait = response ? http::RetryAfter(*response) : std::nullopt;
    const Error cause = incomplete ? download.LostConnectionError()
                        : response ? ErrorFromResponse(request, *response)
                                   : response.error();
    auto waited = backoff.Wait(cause, wait, stop);
    if (!waited) return Failure(download.WithGeneration(std::move(waited).error()));
  }
}

}  // namespace kinetic::gcs

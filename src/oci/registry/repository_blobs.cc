#include "kinetic/try.h"

#include "http/retry.h"
#include "oci/registry/repository.h"

#include <algorithm>
#include <utility>

namespace kinetic::oci {
namespace {

/// Verifies a blob while it arrives in one or more responses.
class BlobVerifier {
 public:
  BlobVerifier(const Descriptor& blob, const http::Sink& sink) : blob_(blob), sink_(sink) {}

  std::uint64_t bytes() const { return bytes_; }

  /// Begins a response with the missing bytes, or with the whole blob.
  void BeginResponse(bool is_partial) { known_bytes_ = is_partial ? 0 : bytes_; }

  Status Take(std::string_view piece) {
    const auto known = std::min<std::uint64_t>(known_bytes_, piece.size());
    known_bytes_ -= known;
    piece.remove_prefix(known);
    bytes_ += piece.size();
    if (bytes_ > blob_.size_bytes) return Corrupt("it is longer than its descriptor specifies");
    hash_.Update(piece);
    return piece.empty() ? Status() : sink_(piece);
  }

  Status Finish() {
    if (bytes_ < blob_.size_bytes) return Corrupt("it is shorter than its descriptor specifies");
    const Digest digest = hash_.Finish();
    return digest == blob_.digest ? Status()
                                  : Corrupt("its content has the digest " + DigestString(digest));
  }

 private:
  static Failure Corrupt(const std::string& why) {
    return Fail(ErrorCode::kDataLoss, why,
                "the registry or the network altered the content: do not use it");
  }

  const Descriptor& blob_;
  const http::Sink& sink_;
  Sha256 hash_;
  std::uint64_t bytes_ = 0;
  std::uint64_t known_bytes_ = 0;  ///< of this response, received before
};

}  // namespace

Result<bool> Repository::HasBlob(const Digest& digest, std::stop_token stop) const {
  const std::string operation = "checking for " + DigestString(digest) + " in " + Text();
  http::Request request =
      MakeRequest("HEAD", BaseUrl().Part("blobs").Part(DigestString(digest)).Text());
  request.follow_redirects = true;
  KINETIC_ASSIGN_OR_RETURN(const http::Response response,
                           Send(request, operation, std::move(stop)));
  if (response.status == 404) return false;
  if (response.status != 200) return Rejected(request, response, operation);
  return true;
}

Status Repository::ReadBlob(const Descriptor& blob, const http::Sink& sink,
                            std::stop_token stop) const {
  const std::string operation = "reading " + DigestString(blob.digest) + " of " + Text();
  BlobVerifier verifier(blob, sink);
  const auto take = [&](std::string_view piece) { return verifier.Take(piece); };
  http::Backoff backoff(options_.retry, *clock_);
  for (;;) {
    http::Request request =
        MakeRequest("GET", BaseUrl().Part("blobs").Part(DigestString(blob.digest)).Text());
    request.follow_redirects = true;
    const std::uint64_t before = verifier.bytes();
    if (before > 0) request.headers = {{"Range", "bytes=" + std::to_string(before) + "-"}};
    request.on_head = [&](const http::Response& head) {
      verifier.BeginResponse(head.status == 206);
    };
    const auto response = transport_->Stream(request, take, stop);
    const bool whole = response && response->status / 100 == 2;
    if (whole) {
      auto finished = verifier.Finish();
      if (!finished) return Failure(std::move(finished).error().Context(operation));
      return {};
    }
    Attempt attempt = Classify(request, response, false);
    Error error = std::move(*attempt.error).Context(operation);
    if (!attempt.retryable) return Failure(std::move(error));
    if (verifier.bytes() > before) backoff.Reset();
    KINETIC_RETURN_IF_ERROR(backoff.Wait(error, attempt.retry_after, stop));
  }
}

}  // namespace kinetic::oci

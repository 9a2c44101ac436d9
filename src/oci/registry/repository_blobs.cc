#include "base/try.h"
#include "http/retry.h"
#include "oci/registry/repository.h"

#include <algorithm>
#include <utility>

namespace kinetic::oci {
namespace {

/// A blob as it arrives, over as many answers as it takes.
class Arrival {
 public:
  Arrival(const Descriptor& blob, const http::Sink& sink) : blob_(blob), sink_(sink) {}

  std::uint64_t bytes() const { return bytes_; }

  /// An answer begins: with what is missing, or with all of it anew.
  void Begin(bool with_the_rest) { known_bytes_ = with_the_rest ? 0 : bytes_; }

  Status Take(std::string_view piece) {
    const auto known = std::min<std::uint64_t>(known_bytes_, piece.size());
    known_bytes_ -= known;
    piece.remove_prefix(known);
    bytes_ += piece.size();
    if (bytes_ > blob_.size_bytes) return Wrong("it is longer than its description says");
    hash_.Update(piece);
    return piece.empty() ? Status() : sink_(piece);
  }

  Status Finish() {
    if (bytes_ < blob_.size_bytes) return Wrong("it is shorter than its description says");
    const Digest digest = hash_.Finish();
    return digest == blob_.digest ? Status() : Wrong("what comes is " + NameOf(digest));
  }

 private:
  static Failure Wrong(const std::string& why) {
    return Fail(ErrorCode::kDataLoss, why,
                "the registry or what is between alters bytes: do not use it");
  }

  const Descriptor& blob_;
  const http::Sink& sink_;
  Sha256 hash_;
  std::uint64_t bytes_ = 0;
  std::uint64_t known_bytes_ = 0;  ///< of this answer, that have arrived before
};

}  // namespace

Result<bool> Repository::HasBlob(const Digest& digest, std::stop_token stop) const {
  const std::string doing = "looking for " + NameOf(digest) + " in " + Text();
  http::Request request = RequestTo("HEAD", Address().Part("blobs").Part(NameOf(digest)).Text());
  request.follow_redirects = true;
  KINETIC_ASSIGN_OR_RETURN(const http::Response response, Send(request, doing, std::move(stop)));
  if (response.status == 404) return false;
  if (response.status != 200) return Refused(request, response, doing);
  return true;
}

Status Repository::ReadBlob(const Descriptor& blob, const http::Sink& sink,
                            std::stop_token stop) const {
  const std::string doing = "reading " + NameOf(blob.digest) + " of " + Text();
  Arrival arrival(blob, sink);
  const auto take = [&](std::string_view piece) { return arrival.Take(piece); };
  http::Backoff backoff(options_.retry, *clock_);
  for (;;) {
    http::Request request =
        RequestTo("GET", Address().Part("blobs").Part(NameOf(blob.digest)).Text());
    request.follow_redirects = true;
    const std::uint64_t before = arrival.bytes();
    if (before > 0) request.headers = {{"Range", "bytes=" + std::to_string(before) + "-"}};
    request.on_head = [&](const http::Response& head) { arrival.Begin(head.status == 206); };
    const auto response = transport_->Stream(request, take, stop);
    const bool whole = response && response->status / 100 == 2;
    if (whole) {
      auto finished = arrival.Finish();
      if (!finished) return Failure(std::move(finished).error().Context(doing));
      return {};
    }
    Try tried = Judge(request, response, false);
    Error error = std::move(*tried.failed).Context(doing);
    if (!tried.may_pass) return Failure(std::move(error));
    if (arrival.bytes() > before) backoff.Reset();
    KINETIC_RETURN_IF_ERROR(backoff.Wait(error, tried.retry_after, stop));
  }
}

}  // namespace kinetic::oci

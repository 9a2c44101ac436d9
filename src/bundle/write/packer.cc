#include "bundle/write/packer.h"

#include "kinetic/try.h"

#include "base/concurrency/parallel.h"
#include "bundle/format/pack.h"
#include "bundle/source/file_reader.h"

#include <functional>
#include <utility>

namespace kinetic::bundle {
namespace {

/// A request to a bucket takes as long as sending this many bytes.
constexpr std::uint64_t kMaxUncheckedPutBytes = 4U << 20;
constexpr std::size_t kUnbounded = ~std::size_t{0};  // ByteBudget bounds the queues

}  // namespace

Packer::Packer(ContentLease& lease, const WriteOptions& options, bool expect_new,
               std::stop_token stop)
    : lease_(lease),
      options_(options),
      expect_new_(expect_new),
      forward_stop_(std::move(stop), [this] { stop_.request_stop(); }),
      budget_(options.memory_bytes),
      jobs_(kUnbounded),
      closed_packs_(kUnbounded) {}

Packer::~Packer() { stop_.request_stop(); }

void Packer::StartThreads() {
  const std::size_t threads = options_.threads != 0 ? options_.threads : ProcessorCount();
  for (std::size_t i = 0; i < threads; ++i) compressors_.emplace_back([this] { Compress(); });
  for (std::size_t i = 0; i < options_.put_threads; ++i) {
    storers_.emplace_back([this] { Store(); });
  }
}

Result<std::uint64_t> Packer::Submit(Content content) {
  if (submitted_ == 0) StartThreads();
  const std::size_t size = content.bytes.size();
  if (!budget_.Acquire(size, stop_.get_token()) ||
      !jobs_.Push({submitted_, std::move(content)}, size, stop_.get_token())) {
    return Failure(FirstError());
  }
  if (options_.on_content) options_.on_content(size);
  return submitted_++;
}

Result<PackedFrames> Packer::Finish() {
  jobs_.Close();
  compressors_.clear();
  if (open_ && !stop_.stop_requested()) ClosePack();
  closed_packs_.Close();
  storers_.clear();
  if (stop_.stop_requested()) return Failure(FirstError());
  return std::move(packed_);
}

Packer::EncodedFrame Packer::EncodeFrame(Compressor& compressor, Content content) {
  const std::string_view bytes = content.bytes.view();
  if (content.compressible || IsZero(bytes)) {
    Buffer frame = compressor.CompressToBuffer(bytes);
    if (frame.size() != 0 && frame.size() < bytes.size()) {
      const Digest digest = Sha256::Of(frame.view());
      return {std::move(frame), bytes.size(), digest, false};
    }
  }
  const Digest digest = content.digest ? *content.digest : Sha256::Of(bytes);
  const std::size_t size = bytes.size();
  return {std::move(content.bytes), size, digest, true};
}

void Packer::Compress() {
  Compressor compressor(options_.compression_level);
  while (auto job = jobs_.Pop(stop_.get_token())) {
    const std::uint64_t number = job->number;
    const std::size_t content_bytes = job->content.bytes.size();
    EncodedFrame frame = EncodeFrame(compressor, std::move(job->content));
    job.reset();
    budget_.Release(content_bytes - frame.bytes.size());
    if (!gate_.Enter(number, stop_.get_token())) return;
    if (!AppendFrame(std::move(frame))) return;
    gate_.Leave();
  }
}

bool Packer::AppendFrame(EncodedFrame frame) {
  const std::size_t stored_bytes =
      frame.raw ? RawFrameBytes(frame.content_bytes) : frame.bytes.size();
  if (open_ && open_->size_bytes() + stored_bytes > options_.pack_bytes && !ClosePack()) {
    return false;
  }
  if (!open_) open_ = std::make_unique<Pack>();
  open_budget_bytes_ += frame.bytes.size();
  const auto number = frame.raw ? open_->AddRaw(std::move(frame.bytes), frame.digest)
                                : open_->Add(std::move(frame.bytes), frame.digest,
                                             static_cast<std::uint32_t>(frame.content_bytes));
  packed_.places.push_back({static_cast<std::uint32_t>(pack_count_), number});
  return true;
}

bool Packer::ClosePack() {
  open_->Close();
  return closed_packs_.Push({pack_count_++, std::move(open_), std::exchange(open_budget_bytes_, 0)},
                            0, stop_.get_token());
}

void Packer::Store() {
  while (auto ready = closed_packs_.Pop(stop_.get_token())) {
    const Digest digest = ready->pack->digest();
    if (auto stored = StorePack(digest, *ready->pack); !stored) {
      return Stop(std::move(stored).error());
    }
    const std::size_t budget_bytes = ready->budget_bytes;
    const std::lock_guard lock(mutex_);
    if (packed_.packs.size() <= ready->number) packed_.packs.resize(ready->number + 1);
    packed_.packs[ready->number] = {digest, ready->pack->frames()};
    ready.reset();
    budget_.Release(budget_bytes);
  }
}

Status Packer::StorePack(const Digest& digest, Pack& pack) {
  if (!expect_new_ || pack.size_bytes() > kMaxUncheckedPutBytes) {
    KINETIC_ASSIGN_OR_RETURN(const bool there, lease_.ReusePack(digest, stop_.get_token()));
    if (there) return {};
  }
  KINETIC_ASSIGN_OR_RETURN(const bool stored, lease_.PutPack(digest, pack, stop_.get_token()));
  if (!stored) return {};
  const std::lock_guard lock(mutex_);
  ++packed_.stored_packs;
  packed_.stored_bytes += pack.size_bytes();
  return {};
}

void Packer::Stop(Error error) {
  const std::lock_guard lock(mutex_);
  if (!error_) error_ = std::move(error);
  stop_.request_stop();
}

Error Packer::FirstError() {
  const std::lock_guard lock(mutex_);
  return error_ ? *error_ : Error{ErrorCode::kCancelled, "stopped", {}, {}};
}

}  // namespace kinetic::bundle

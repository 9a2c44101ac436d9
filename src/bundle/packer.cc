#include "bundle/packer.h"

#include "base/parallel.h"
#include "base/try.h"
#include "bundle/chunk.h"
#include "bundle/frame.h"

#include <functional>
#include <utility>

namespace kinetic::bundle {
namespace {

constexpr std::size_t kUnbounded = ~std::size_t{0};  // the budget is what bounds the queues

std::string MakeFrame(Compressor& compressor, std::string_view content, bool compressible) {
  if (!compressible && !IsZero(content)) return StoreAsIs(content);
  std::string stored = compressor.Compress(content);
  if (stored.empty() || stored.size() >= content.size()) return StoreAsIs(content);
  return stored;
}

}  // namespace

Packer::Packer(ContentLease& lease, const WriteOptions& options, std::stop_token stop)
    : lease_(lease),
      options_(options),
      forward_(std::move(stop), [this] { stop_.request_stop(); }),
      budget_(options.memory_bytes),
      jobs_(kUnbounded),
      ready_(kUnbounded) {}

Packer::~Packer() { stop_.request_stop(); }

void Packer::Start() {
  const std::size_t threads = options_.threads != 0 ? options_.threads : ProcessorCount();
  for (std::size_t i = 0; i < threads; ++i) compressors_.emplace_back([this] { Compress(); });
  for (std::size_t i = 0; i < options_.put_threads; ++i) {
    storers_.emplace_back([this] { Store(); });
  }
}

Result<std::uint64_t> Packer::Submit(std::string content, bool compressible) {
  if (submitted_ == 0) Start();
  const std::size_t size = content.size();
  if (!budget_.Acquire(size, stop_.get_token()) ||
      !jobs_.Push({submitted_, std::move(content), compressible}, size, stop_.get_token())) {
    return Failure(TheError());
  }
  return submitted_++;
}

Result<PackedFrames> Packer::Finish() {
  jobs_.Close();
  compressors_.clear();
  if (open_ && !stop_.stop_requested()) ClosePack();
  ready_.Close();
  storers_.clear();
  if (stop_.stop_requested()) return Failure(TheError());
  return std::move(packed_);
}

void Packer::Compress() {
  Compressor compressor(options_.compression_level);
  while (auto job = jobs_.Pop(stop_.get_token())) {
    std::string stored = MakeFrame(compressor, job->content, job->compressible);
    const std::size_t content_bytes = job->content.size();
    job->content = {};
    // A frame in raw blocks is a few bytes longer than its content; those are not counted.
    const std::size_t kept = std::min(stored.size(), content_bytes);
    budget_.Release(content_bytes - kept);
    if (!turnstile_.Enter(job->number, stop_.get_token())) return;
    if (!Place(std::move(stored), content_bytes, kept)) return;
    turnstile_.Leave();
  }
}

bool Packer::Place(std::string stored, std::size_t content_bytes, std::size_t counted) {
  if (open_ && open_->size_bytes() + stored.size() > options_.pack_bytes && !ClosePack()) {
    return false;
  }
  if (!open_) open_ = std::make_unique<Pack>();
  open_counted_ += counted;
  const auto frame = open_->Add(std::move(stored), static_cast<std::uint32_t>(content_bytes));
  packed_.places.push_back({static_cast<std::uint32_t>(closed_), frame});
  return true;
}

bool Packer::ClosePack() {
  open_->Close();
  return ready_.Push({closed_++, std::move(open_), std::exchange(open_counted_, 0)}, 0,
                     stop_.get_token());
}

void Packer::Store() {
  while (auto ready = ready_.Pop(stop_.get_token())) {
    const Digest digest = ready->pack->digest();
    if (auto stored = StorePack(digest, *ready->pack); !stored) {
      return Stop(std::move(stored).error());
    }
    const std::lock_guard lock(mutex_);
    if (packed_.packs.size() <= ready->number) packed_.packs.resize(ready->number + 1);
    packed_.packs[ready->number] = {digest, ready->pack->frames()};
    budget_.Release(ready->counted);
  }
}

Status Packer::StorePack(const Digest& digest, Pack& pack) {
  KINETIC_ASSIGN_OR_RETURN(const bool there, lease_.ReusePack(digest, stop_.get_token()));
  if (there) return {};
  KINETIC_RETURN_IF_ERROR(lease_.PutPack(digest, pack, stop_.get_token()));
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

Error Packer::TheError() {
  const std::lock_guard lock(mutex_);
  return error_ ? *error_ : Error{ErrorCode::kCancelled, "stopped", {}, {}};
}

}  // namespace kinetic::bundle

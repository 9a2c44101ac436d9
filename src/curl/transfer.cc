#include "curl/transfer.h"

#include "base/strings.h"

#include <algorithm>
#include <utility>

namespace kinetic::curl {
namespace {

/// Beyond this the engine stops reading until the caller has caught up.
constexpr std::size_t kArrivedBytes = 2U << 20;

}  // namespace

Transfer::Event Transfer::Wait(std::string spare, bool body_ready) {
  std::unique_lock lock(mutex_);
  const auto room = [&] { return !body_ended_ && outgoing_sent_ == outgoing_size_; };
  changed_.wait(lock, [&] {
    return finished_ || stopped_ || head_arrived_ || !arrived_.empty() || (body_ready && room());
  });
  Event event;
  event.head_arrived = std::exchange(head_arrived_, false);
  event.finished = finished_;
  event.stopped = std::exchange(stopped_, false);
  event.ready_for_body = room();
  spare.clear();
  event.arrived = std::exchange(arrived_, std::move(spare));
  event.resume = std::exchange(data_paused_, false);
  return event;
}

bool Transfer::ProvideBody(std::string& piece, std::size_t size) {
  const std::lock_guard lock(mutex_);
  if (size == 0) body_ended_ = true;
  std::swap(outgoing_, piece);
  outgoing_size_ = size;
  outgoing_sent_ = 0;
  return std::exchange(body_paused_, false);
}

void Transfer::Stop() {
  const std::lock_guard lock(mutex_);
  stopped_ = true;
  changed_.notify_one();
}

std::size_t Transfer::OnData(std::string_view bytes) {
  if (response_.status < 200 || response_.status > 299) {
    const std::size_t room = http::kErrorBodyBytes - response_.body.size();
    response_.body += bytes.substr(0, room);
    return bytes.size();
  }
  const std::lock_guard lock(mutex_);
  if (arrived_.size() >= kArrivedBytes) {
    data_paused_ = true;
    return CURL_WRITEFUNC_PAUSE;
  }
  const bool awaited = arrived_.empty();
  arrived_ += bytes;
  if (awaited) changed_.notify_one();
  return bytes.size();
}

std::size_t Transfer::OnReadBody(std::span<char> buffer) {
  const std::lock_guard lock(mutex_);
  const std::size_t left = outgoing_size_ - outgoing_sent_;
  if (left == 0) {
    if (body_ended_) return 0;
    body_paused_ = true;
    return CURL_READFUNC_PAUSE;
  }
  const std::size_t count = std::min(left, buffer.size());
  std::copy_n(outgoing_.data() + outgoing_sent_, count, buffer.data());
  outgoing_sent_ += count;
  if (count == left) changed_.notify_one();
  return count;
}

void Transfer::OnHeader(std::string_view line) {
  line = Trim(line);
  if (line.starts_with("HTTP/")) {
    // Discards interim responses and redirects.
    response_.headers = {};
    head_complete_ = false;
    const auto words = Split(line, ' ');
    const auto status = words.size() > 1 ? ParseInt(words[1]) : std::nullopt;
    response_.status = static_cast<int>(status.value_or(0));
    return;
  }
  if (head_complete_) return;  // a trailer, while the caller may read the headers
  if (line.empty()) {
    head_complete_ = true;
    if (reports_head_ && response_.status / 100 == 2) {
      const std::lock_guard lock(mutex_);
      head_arrived_ = true;
      changed_.notify_one();
    }
  }
  const std::size_t colon = line.find(':');
  if (colon == std::string_view::npos) return;
  response_.headers.Add(std::string(line.substr(0, colon)),
                        std::string(Trim(line.substr(colon + 1))));
}

void Transfer::Finish(const TransferResult& result) {
  const std::lock_guard lock(mutex_);
  result_ = result;
  response_.timing = result.timing;
  finished_ = true;
  changed_.notify_one();
}

bool Transfer::Paused() const {
  const std::lock_guard lock(mutex_);
  return data_paused_ || body_paused_;
}

}  // namespace kinetic::curl

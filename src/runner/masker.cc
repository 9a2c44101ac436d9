#include "runner/masker.h"

#include "base/strings.h"

#include <algorithm>

namespace kinetic::runner {
namespace {

constexpr std::size_t kMinSecret = 4;
constexpr std::size_t kMinLine = 8;
constexpr std::string_view kMask = "***";

}  // namespace

std::vector<std::string> MaskableSecrets(std::vector<std::string> values) {
  std::vector<std::string> parts;
  for (const auto& value : values) {
    parts.emplace_back(Trim(value));
    if (value.find('\n') == std::string::npos) continue;
    for (const auto line : Split(value, '\n')) {
      if (Trim(line).size() >= kMinLine) parts.emplace_back(Trim(line));
    }
  }
  values.insert(values.end(), parts.begin(), parts.end());
  std::erase_if(values, [](const std::string& value) { return value.size() < kMinSecret; });
  std::sort(values.begin(), values.end());
  values.erase(std::unique(values.begin(), values.end()), values.end());
  return values;
}

void Masker::Feed(std::string_view bytes, std::string& out) {
  if (secrets_->empty()) {
    out += bytes;
    return;
  }
  pending_ += bytes;
  Emit(pending_.size() - PartialSuffix(), out);
}

void Masker::Flush(std::string& out) { Emit(pending_.size(), out); }

/// Where secrets are, overlapping ones as one interval.
std::vector<Masker::Interval> Masker::Find() const {
  std::vector<Interval> found;
  if (masked_ > 0) found.push_back({0, masked_});
  for (const auto& secret : *secrets_) {
    for (std::size_t at = pending_.find(secret); at != std::string::npos;
         at = pending_.find(secret, at + 1)) {
      found.push_back({at, at + secret.size()});
    }
  }
  std::sort(found.begin(), found.end(),
            [](const Interval& a, const Interval& b) { return a.begin < b.begin; });
  std::vector<Interval> merged;
  for (const auto& interval : found) {
    if (!merged.empty() && interval.begin < merged.back().end) {
      merged.back().end = std::max(merged.back().end, interval.end);
    } else {
      merged.push_back(interval);
    }
  }
  return merged;
}

/// How long the longest end of what is pending is that begins a secret without being all of it.
std::size_t Masker::PartialSuffix() const {
  const std::string_view pending = pending_;
  std::size_t longest = 0;
  for (const auto& secret : *secrets_) {
    for (std::size_t length = std::min(secret.size() - 1, pending.size()); length > longest;
         --length) {
      if (secret.starts_with(pending.substr(pending.size() - length))) longest = length;
    }
  }
  return longest;
}

void Masker::Emit(std::size_t keep_from, std::string& out) {
  if (keep_from == 0) return;
  std::size_t place = 0;
  std::size_t masked = 0;
  for (const auto& interval : Find()) {
    if (interval.begin >= keep_from) break;
    out.append(pending_, place, interval.begin - place);
    const bool written = interval.begin == 0 && masked_ > 0;
    if (!written) out += kMask;
    place = std::min(interval.end, keep_from);
    masked = interval.end - place;
  }
  out.append(pending_, place, keep_from - place);
  pending_.erase(0, keep_from);
  masked_ = masked;
}

std::string Masked(std::string_view text, const std::vector<std::string>& secrets) {
  Masker masker(secrets);
  std::string out;
  masker.Feed(text, out);
  masker.Flush(out);
  return out;
}

}  // namespace kinetic::runner

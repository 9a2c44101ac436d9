#include "runner/log/redactor.h"

#include "base/strings.h"

#include <algorithm>

namespace kinetic::runner {
namespace {

constexpr std::size_t kMinSecret = 4;
constexpr std::size_t kMinLine = 8;
constexpr std::string_view kReplacement = "***";

}  // namespace

std::vector<std::string> RedactableSecrets(std::vector<std::string> values) {
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

void Redactor::Feed(std::string_view bytes, std::string& out) {
  if (secrets_->empty()) {
    out += bytes;
    return;
  }
  pending_ += bytes;
  Emit(pending_.size() - PartialSuffix(), out);
}

void Redactor::Flush(std::string& out) { Emit(pending_.size(), out); }

/// Returns where secrets are; overlapping ones are one interval.
std::vector<Redactor::Interval> Redactor::Find() const {
  std::vector<Interval> found;
  if (redacted_ > 0) found.push_back({0, redacted_});
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

/// Returns the length of the longest pending suffix that starts a secret without completing it.
std::size_t Redactor::PartialSuffix() const {
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

void Redactor::Emit(std::size_t end, std::string& out) {
  if (end == 0) return;
  std::size_t position = 0;
  std::size_t redacted = 0;
  for (const auto& interval : Find()) {
    if (interval.begin >= end) break;
    out.append(pending_, position, interval.begin - position);
    const bool written = interval.begin == 0 && redacted_ > 0;
    if (!written) out += kReplacement;
    position = std::min(interval.end, end);
    redacted = interval.end - position;
  }
  out.append(pending_, position, end - position);
  pending_.erase(0, end);
  redacted_ = redacted;
}

std::string Redact(std::string_view text, const std::vector<std::string>& secrets) {
  Redactor redactor(secrets);
  std::string out;
  redactor.Feed(text, out);
  redactor.Flush(out);
  return out;
}

}  // namespace kinetic::runner

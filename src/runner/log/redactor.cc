#include "runner/log/redactor.h"

#include "kinetic/value.h"

#include "base/strings.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <cstdint>
#include <memory>

namespace kinetic::runner {
namespace {

constexpr std::size_t kMinSecret = 4;
constexpr std::size_t kMinLine = 8;
constexpr std::string_view kReplacement = "***";

/// What programs put in place of the rest of a text.
constexpr std::array<std::string_view, 2> kCuts{"…", "..."};

/// Returns a JSON literal with escapes in place of all characters beyond ASCII.
std::string WithAsciiOnly(std::string_view json) {
  std::string ascii;
  for (std::size_t i = 0; i < json.size(); ++i) {
    const auto lead = static_cast<unsigned char>(json[i]);
    if (lead < 0x80) {
      ascii += json[i];
      continue;
    }
    const std::size_t more = lead >= 0xF0 ? 3 : lead >= 0xE0 ? 2 : 1;
    std::uint32_t point = lead & (0x3FU >> more);
    for (std::size_t end = i + more; i < end && i + 1 < json.size();)
      point = point << 6U | (static_cast<unsigned char>(json[++i]) & 0x3FU);
    if (point >= 0x10000) {
      ascii += fmt::format("\\u{:04x}", 0xD7C0 + (point >> 10U));
      point = 0xDC00 + (point & 0x3FFU);
    }
    ascii += fmt::format("\\u{:04x}", point);
  }
  return ascii;
}

/// Adds a text and its forms in JSON, and in Python literals, which escape one kind of quotes or none.
void AddForms(const std::string& text, std::vector<std::string>& forms) {
  std::string json = Value(text).ToJson();
  json = json.substr(1, json.size() - 2);
  std::string python;
  std::string quoted;
  for (std::size_t i = 0; i < json.size(); ++i) {
    if (json[i] == '\\' && json[i + 1] == '"') continue;
    if (json[i] == '\'') quoted += '\\';
    python += json[i];
    quoted += json[i];
    if (json[i] != '\\') continue;
    python += json[++i];
    quoted += json[i];
  }
  forms.insert(forms.end(), {text, WithAsciiOnly(json), json, python, quoted});
}

/// Redacts what is left of secrets beside a mark where a text was cut.
std::string RedactFragments(std::string text, const std::vector<std::string>& secrets) {
  const auto is_cut = [](std::string_view at) {
    return std::ranges::any_of(kCuts, [&](auto cut) { return at.starts_with(cut); });
  };
  const auto was_cut = [](std::string_view before) {
    return std::ranges::any_of(kCuts, [&](auto cut) { return before.ends_with(cut); });
  };
  for (const std::string& secret : secrets) {
    const std::string_view all = secret;
    for (std::size_t at = 0; (at = text.find(all.substr(0, kMinSecret), at)) != std::string::npos;
         ++at) {
      const std::string_view rest = std::string_view(text).substr(at);
      const auto size =
          static_cast<std::size_t>(std::ranges::mismatch(rest, all).in1 - rest.begin());
      if (is_cut(rest.substr(size))) text.replace(at, size, kReplacement);
    }
    const std::string_view tail = all.substr(all.size() - kMinSecret);
    for (std::size_t at = 0; (at = text.find(tail, at)) != std::string::npos; ++at) {
      const std::string_view head = std::string_view(text).substr(0, at + kMinSecret);
      const auto size = static_cast<std::size_t>(
          std::mismatch(head.rbegin(), head.rend(), all.rbegin(), all.rend()).first -
          head.rbegin());
      if (was_cut(head.substr(0, head.size() - size)))
        text.replace(head.size() - size, size, kReplacement);
    }
  }
  return text;
}

}  // namespace

std::vector<std::string> RedactableSecrets(const std::map<std::string, std::string>& secrets) {
  std::vector<std::string> forms;
  for (const auto& [name, value] : secrets) {
    AddForms(value, forms);
    AddForms(std::string(Trim(value)), forms);
    if (value.find('\n') == std::string::npos) continue;
    std::string joined;  // as a text of one line
    for (const auto line : Split(value, '\n')) {
      if (Trim(line).size() >= kMinLine) AddForms(std::string(Trim(line)), forms);
      if (!Trim(line).empty()) joined.append(joined.empty() ? "" : " ").append(Trim(line));
    }
    AddForms(joined, forms);
  }
  std::erase_if(forms, [](const std::string& form) { return form.size() < kMinSecret; });
  std::sort(forms.begin(), forms.end());
  forms.erase(std::unique(forms.begin(), forms.end()), forms.end());
  return forms;
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
  return RedactFragments(std::move(out), secrets);
}

void RedactTexts(Error& error, const std::vector<std::string>& secrets) {
  error.message = Redact(error.message, secrets);
  error.hint = Redact(error.hint, secrets);
  for (auto& [name, detail] : error.details) detail = Redact(detail, secrets);
}

namespace {

/// Redacts the content of a value's bytes, {"$bytes": BASE64}.
std::optional<Value> RedactedBytes(const Value::Map& map, const std::vector<std::string>& secrets) {
  if (map.size() != 1 || map.front().first != "$bytes") return std::nullopt;
  const std::string* text = map.front().second.AsString();
  const auto bytes = text == nullptr ? std::nullopt : Base64Decode(*text);
  if (!bytes) return std::nullopt;
  return Value::Map{{"$bytes", Base64Encode(Redact(*bytes, secrets))}};
}

/// Redacts the texts and bytes in a value.
Value Redacted(const Value& value, const std::vector<std::string>& secrets) {
  if (const std::string* text = value.AsString()) return Redact(*text, secrets);
  if (const auto* list = value.AsList()) {
    Value::List items;
    for (const Value& item : *list) items.push_back(Redacted(item, secrets));
    return items;
  }
  const auto* map = value.AsMap();
  if (map == nullptr) return value;
  if (auto bytes = RedactedBytes(*map, secrets)) return *std::move(bytes);
  Value::Map members;
  for (const auto& [name, item] : *map)
    members.emplace_back(Redact(name, secrets), Redacted(item, secrets));
  return members;
}

}  // namespace

void RedactTexts(RemoteException& exception, const std::vector<std::string>& secrets) {
  exception.type = Redact(exception.type, secrets);
  exception.message = Redact(exception.message, secrets);
  for (Frame& frame : exception.traceback) {
    for (std::string* text : {&frame.file, &frame.function, &frame.code})
      *text = Redact(*text, secrets);
  }
  exception.attributes = Redacted(exception.attributes, secrets);
  if (!exception.cause) return;
  RemoteException cause = *exception.cause;
  RedactTexts(cause, secrets);
  exception.cause = std::make_shared<const RemoteException>(std::move(cause));
}

void RedactTexts(Outcome& outcome, const std::vector<std::string>& secrets) {
  outcome.reason = Redact(outcome.reason, secrets);
  if (outcome.exception) RedactTexts(*outcome.exception, secrets);
}

}  // namespace kinetic::runner

#include "support/gcs_server/faults.h"

#include "base/strings.h"

#include <array>
#include <random>
#include <utility>

namespace kinetic::gcs_server {
namespace {

constexpr std::array<std::pair<FaultKind, std::string_view>, 11> kNames{{
    {FaultKind::kAnswer, "answer"},
    {FaultKind::kLoseReply, "lose-reply"},
    {FaultKind::kResetBeforeBody, "reset-before-body"},
    {FaultKind::kResetInBody, "reset-in-body"},
    {FaultKind::kResetAfterBody, "reset-after-body"},
    {FaultKind::kStallBody, "stall-body"},
    {FaultKind::kFlipBody, "flip-body"},
    {FaultKind::kResetReply, "reset-reply"},
    {FaultKind::kStallReply, "stall-reply"},
    {FaultKind::kTruncateReply, "truncate-reply"},
    {FaultKind::kFlipReply, "flip-reply"},
}};

std::optional<FaultKind> FromName(std::string_view name) {
  for (const auto& [kind, its_name] : kNames) {
    if (its_name == name) return kind;
  }
  return std::nullopt;
}

bool Concerns(const Fault& fault, const Request& request, std::uint64_t index) {
  return (!fault.index || *fault.index == index) &&
         (fault.method.empty() || fault.method == request.method) &&
         (fault.path.empty() || MatchesWildcard(request.target, fault.path));
}

/// Reads one field. Returns false if it is unknown or has another type.
bool ReadMember(const std::string& key, const nlohmann::json& value, Fault& fault) {
  for (const auto& [name, text] :
       {std::pair{"method", &fault.method}, std::pair{"path", &fault.path},
        std::pair{"reason", &fault.reason}, std::pair{"message", &fault.message}}) {
    if (key != name) continue;
    if (!value.is_string()) return false;
    *text = value.get<std::string>();
    return true;
  }
  if (!value.is_number()) return false;
  if (key == "index")
    fault.index = value.get<std::uint64_t>();
  else if (key == "skip")
    fault.skip = value.get<int>();
  else if (key == "times")
    fault.times = value.get<int>();
  else if (key == "share")
    fault.share = value.get<double>();
  else if (key == "status")
    fault.status = value.get<int>();
  else if (key == "retry_after")
    fault.retry_after = value.get<int>();
  else if (key == "at_byte")
    fault.at_byte = value.get<std::uint64_t>();
  else if (key == "stall")
    fault.stall = std::chrono::milliseconds(value.get<int>());
  else
    return false;
  return true;
}

}  // namespace

std::string_view Name(FaultKind kind) {
  for (const auto& [its, name] : kNames) {
    if (its == kind) return name;
  }
  return "";
}

void Faults::Add(Fault fault) {
  const std::lock_guard lock(mutex_);
  entries_.push_back({std::move(fault)});
}

void Faults::Clear() {
  const std::lock_guard lock(mutex_);
  entries_.clear();
}

void Faults::Seed(std::uint64_t seed) {
  const std::lock_guard lock(mutex_);
  seed_ = seed;
}

std::optional<std::string> Faults::Load(const nlohmann::json& text) {
  if (!text.is_object()) return "not a JSON object";
  if (text.contains("seed") && text["seed"].is_number()) Seed(text["seed"].get<std::uint64_t>());
  if (!text.contains("faults") || !text["faults"].is_array()) return "\"faults\" is missing";
  for (const auto& item : text["faults"]) {
    if (!item.is_object()) return "a fault is no object";
    Fault fault;
    for (const auto& [key, value] : item.items()) {
      if (key == "do") continue;
      if (!ReadMember(key, value, fault)) return "\"" + key + "\" is not understood";
    }
    const auto named = item.find("do");
    if (named == item.end() || !named->is_string()) return "\"do\" is missing";
    const auto kind = FromName(named->get<std::string>());
    if (!kind) return "\"do\" names no fault";
    fault.kind = *kind;
    Add(std::move(fault));
  }
  return std::nullopt;
}

bool Faults::Strikes(Entry& entry, std::uint64_t index) const {
  const Fault& fault = entry.fault;
  if (entry.matched++ < fault.skip) return false;
  if (fault.times != 0 && entry.committed >= fault.times) return false;
  if (fault.share < 1) {
    std::mt19937_64 draw(seed_ ^ (index * 0x9E3779B97F4A7C15ULL));
    if (std::uniform_real_distribution<double>()(draw) >= fault.share) return false;
  }
  ++entry.committed;
  return true;
}

std::optional<Fault> Faults::Next(const Request& request, std::uint64_t index) {
  const std::lock_guard lock(mutex_);
  for (Entry& entry : entries_) {
    if (Concerns(entry.fault, request, index) && Strikes(entry, index)) return entry.fault;
  }
  return std::nullopt;
}

}  // namespace kinetic::gcs_server

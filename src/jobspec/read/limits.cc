#include "base/strings.h"
#include "jobspec/read/context.h"

#include <algorithm>

namespace kinetic::jobspec {
namespace {

using json::YamlNode;

std::optional<std::uint64_t> ReadSize(const YamlNode& resources, const char* key) {
  const YamlNode* node = Find(resources, key);
  const auto text = TextOf(node, true);
  if (!text) return std::nullopt;
  return ParseBytes(*text);
}

void ReadResources(const YamlNode& node, Resources& resources) {
  if (const auto* cpu = Find(node, "cpu"); cpu != nullptr && TextOf(cpu, true)) {
    const Value value = json::ToValue(*cpu);
    if (const auto* whole = value.AsInt()) resources.cpu = static_cast<double>(*whole);
    if (const auto* number = value.AsDouble()) resources.cpu = *number;
  }
  resources.memory_bytes = ReadSize(node, "memory");
  resources.disk_bytes = ReadSize(node, "disk");
  resources.shm_bytes = ReadSize(node, "shm");
}

std::uint32_t ReadCount(const YamlNode& node, const char* key, std::uint32_t absent) {
  return static_cast<std::uint32_t>(IntOf(Find(node, key)).value_or(absent));
}

void ReadRetry(const YamlNode& node, const ReadContext& context, RetrySpec& retry) {
  retry.attempts = ReadCount(node, "attempts", 1);
  const YamlNode* on = Find(node, "on");
  if (on == nullptr) return;
  if (Find(node, "attempts") == nullptr) {
    context.diagnostics.Add(
        *on, "retry.on: has no effect without `attempts`; add `attempts: 2` or more");
  }
  retry.on_preempted = retry.on_infrastructure = false;
  for (const auto& cause : TextsOf(on)) {
    if (cause == "preempted") retry.on_preempted = true;
    if (cause == "infrastructure") retry.on_infrastructure = true;
    if (!cause.starts_with("exit:")) continue;
    const auto code = ParseInt(std::string_view(cause).substr(5));
    auto& codes = retry.on_exit_codes;
    if (code && std::ranges::find(codes, static_cast<int>(*code)) == codes.end()) {
      codes.push_back(static_cast<int>(*code));
    }
  }
}

std::optional<std::chrono::milliseconds> ReadTime(const YamlNode& timeouts, const char* key) {
  const auto text = TextOf(Find(timeouts, key));
  return text ? ParseDuration(*text) : std::nullopt;
}

void ReadTimeouts(const YamlNode& node, Timeouts& timeouts) {
  timeouts.pending = ReadTime(node, "pending");
  timeouts.run = ReadTime(node, "run");
  timeouts.grace = ReadTime(node, "grace").value_or(timeouts.grace);
}

}  // namespace

void ReadLimits(const YamlNode& root, ReadContext& context, JobSpec& spec) {
  if (const auto* node = Find(root, "resources")) ReadResources(*node, spec.resources);
  if (const auto* node = Find(root, "retry")) ReadRetry(*node, context, spec.retry);
  if (const auto* node = Find(root, "timeouts")) ReadTimeouts(*node, spec.timeouts);
  spec.max_cost = TextOf(Find(root, "max_cost")).value_or("");
}

}  // namespace kinetic::jobspec

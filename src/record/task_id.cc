#include "record/task_id.h"

#include "base/strings.h"

#include <fmt/format.h>

namespace kinetic::record {
namespace {

constexpr std::string_view kTasks = "/tasks/";
constexpr std::size_t kDigits = 6;

}  // namespace

std::string TaskId(std::string_view job, std::uint32_t task) {
  return fmt::format("{}{}{:06}", job, kTasks, task);
}

std::optional<TaskName> ParseTaskId(std::string_view id) {
  const auto slash = id.find(kTasks);
  if (slash == std::string_view::npos) return std::nullopt;
  const std::string_view digits = id.substr(slash + kTasks.size());
  const auto task = ParseInt(digits);
  if (digits.size() != kDigits || !task || *task < 0) return std::nullopt;
  return TaskName{id.substr(0, slash), static_cast<std::uint32_t>(*task)};
}

std::string_view JobPart(std::string_view id) {
  const auto name = ParseTaskId(id);
  return name ? name->job : id;
}

std::string DisplayId(std::string_view id) {
  const auto name = ParseTaskId(id);
  return name ? fmt::format("{} task {}", name->job, name->task) : std::string(id);
}

std::string TaskNonce(std::string_view job_nonce, std::uint32_t task) {
  return fmt::format("{}-{:06}", job_nonce, task);
}

std::string_view JobNonce(std::string_view nonce) {
  if (nonce.size() <= kDigits || nonce[nonce.size() - kDigits - 1] != '-') return nonce;
  const bool is_task = ParseInt(nonce.substr(nonce.size() - kDigits)).has_value();
  return is_task ? nonce.substr(0, nonce.size() - kDigits - 1) : nonce;
}

}  // namespace kinetic::record

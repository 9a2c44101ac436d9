#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>

/// The tasks of an array are named like jobs: "sweep-7/tasks/000003" is task 3 of the job "sweep-7".
/// Names of objects, runtime directories, results and logs of a task are derived from that ID as
/// those of a job are from its own.
namespace kinetic::record {

/// The largest number of tasks of a job: six digits name each.
inline constexpr std::uint32_t kMaxTasks = 100'000;

/// Returns "{job}/tasks/{task, 6 digits}".
std::string TaskId(std::string_view job, std::uint32_t task);

/// The parts of the ID of a task.
struct TaskName {
  std::string_view job;
  std::uint32_t task = 0;
};

/// Returns nullopt for the ID of a job. The result refers to `id`.
std::optional<TaskName> ParseTaskId(std::string_view id);

/// Returns the ID of the job: of a task's ID the first part, otherwise `id`.
std::string_view JobPart(std::string_view id);

/// Returns the ID for messages: "sweep-7 task 3" for a task, otherwise `id`.
std::string DisplayId(std::string_view id);

/// The nonce of a task: "{nonce of the job}-{task, 6 digits}". It marks the processes of the task.
std::string TaskNonce(std::string_view job_nonce, std::uint32_t task);

/// Returns the nonce of the job: without the suffix of a task.
std::string_view JobNonce(std::string_view nonce);

}  // namespace kinetic::record

#include "jobspec/schema/shape.h"

#include <array>
#include <string_view>

namespace kinetic::jobspec {
namespace {

/// A smaller size is a number whose unit was forgotten.
constexpr std::int64_t kMinBytes = std::int64_t{1} << 20;
constexpr std::int64_t kMaxBytes = std::int64_t{1} << 60;
constexpr Shape kSize{.expected = "a size from 1Mi to 1Ei, such as 32Gi",
                      .range = Range{kMinBytes, static_cast<double>(kMaxBytes), MeasureBytes},
                      .integer = IntegerRule{kMinBytes, kMaxBytes},
                      .text = kBytes,
                      .suggests_unit = true};
constexpr Shape kCpu{.expected = "a number of CPUs from 0.001 to 100000",
                     .number = true,
                     .range = Range{.min = kMinCpu, .max = kMaxCpu}};
constexpr std::array<Key, 4> kResourceKeys{{
    {.name = "cpu",
     .shape = &kCpu,
     .doc = "Number of CPUs.",
     .default_value = "all of the machine",
     .example = "cpu: 8"},
    {.name = "memory",
     .shape = &kSize,
     .doc = "Memory limit. A job that exceeds it is killed.",
     .default_value = "all of the machine",
     .example = "memory: 32Gi"},
    {.name = "disk",
     .shape = &kSize,
     .doc = "Disk space for the job's files. Holes in sparse files do not count.",
     .default_value = "all of the machine",
     .example = "disk: 100Gi"},
    {.name = "shm",
     .shape = &kSize,
     .doc = "Size of /dev/shm.",
     .default_value = "all of the machine",
     .example = "shm: 8Gi"},
}};

constexpr Shape kTaskCount{.expected = "an integer from 1 to 100000",
                           .integer = IntegerRule{1, kMaxTasks}};
constexpr Shape kMaxFailed{.expected = "an integer from 0 to 100000",
                           .integer = IntegerRule{0, kMaxTasks}};
constexpr Shape kAnyArgument{.expected = "a value", .any = true};
constexpr Shape kOver{
    .expected = "a list of argument sets, a map of names to their values, or $json, $jsonl or $csv",
    .items = &kAnyArgument,
    .min_items = 1,
    .values = &kAnyArgument};
constexpr std::array<Key, 5> kArrayKeys{{
    {.name = "count",
     .shape = &kTaskCount,
     .doc = "Number of tasks; each has its index in KINETIC_TASK_INDEX.",
     .default_value = "the number of argument sets in `over`",
     .example = "count: 100"},
    {.name = "over",
     .shape = &kOver,
     .doc = "Argument sets, one per task; used instead of count.",
     .default_value = "the same arguments for every task",
     .example = "over: [{rate: 0.1}, {rate: 0.01}]"},
    {.name = "parallel",
     .shape = &kTaskCount,
     .doc = "Maximum number of tasks, or pods of tasks, that run at the same time.",
     .default_value = "all that fit",
     .example = "parallel: 20"},
    {.name = "max_failed",
     .shape = &kMaxFailed,
     .doc = "Number of failed tasks to tolerate; one more stops the array.",
     .default_value = "no limit",
     .example = "max_failed: 0"},
    {.name = "tasks_per_pod",
     .shape = &kTaskCount,
     .doc = "Number of short tasks that one process or pod runs in turn.",
     .default_value = "1",
     .example = "tasks_per_pod: 50"},
}};

constexpr Shape kAttempts{.expected = "an integer from 1 to 100",
                          .integer = IntegerRule{1, kMaxAttempts}};
constexpr std::array<std::string_view, 2> kCauseNames{"preempted", "infrastructure"};
constexpr Shape kCause{.expected = "preempted, infrastructure, or exit:N with N from 1 to 255",
                       .text = kRetryCause,
                       .choices = kCauseNames};
constexpr Shape kCauses{.expected = "a list of preempted, infrastructure or exit:N",
                        .items = &kCause};
constexpr std::array<Key, 2> kRetryKeys{{
    {.name = "attempts",
     .shape = &kAttempts,
     .doc = "Maximum number of attempts, including the first one.",
     .default_value = "1",
     .example = "attempts: 3"},
    {.name = "on",
     .shape = &kCauses,
     .doc = "Failures that are retried; exit:N is an exit code of the program.",
     .default_value = "[preempted, infrastructure]",
     .example = "on: [preempted, infrastructure, exit:75]"},
}};

constexpr double kMaxDays = 3650;
constexpr double kMillisecondsPerDay = 86'400'000;
constexpr std::string_view kTimeHint = "add a unit: ms, s, m, h or d";
constexpr Shape kTime{.expected = "a duration from 1ms to 3650d, such as 30m or 1h30m",
                      .range = Range{1, kMaxDays* kMillisecondsPerDay, MeasureDuration},
                      .text = kDuration,
                      .hint = kTimeHint};
constexpr Shape kGrace{.expected = "a duration from 0s to 3650d, such as 30m or 1h30m",
                       .range = Range{0, kMaxDays* kMillisecondsPerDay, MeasureDuration},
                       .text = kDuration,
                       .hint = kTimeHint};
constexpr std::array<Key, 3> kTimeoutKeys{{
    {.name = "pending",
     .shape = &kTime,
     .doc = "Time limit from submission to the start of user code.",
     .default_value = "no limit",
     .example = "pending: 30m"},
    {.name = "run",
     .shape = &kTime,
     .doc = "Time limit for user code, per attempt.",
     .default_value = "no limit",
     .example = "run: 24h"},
    {.name = "grace",
     .shape = &kGrace,
     .doc = "Time between SIGTERM and SIGKILL.",
     .default_value = "30s",
     .example = "grace: 2m"},
}};

}  // namespace

constexpr Shape kResources{.expected = "a map", .keys = kResourceKeys};
constexpr Shape kArray{.expected = "a map with count or over", .null = true, .keys = kArrayKeys};
constexpr Shape kRetry{.expected = "a map", .keys = kRetryKeys};
constexpr Shape kTimeouts{.expected = "a map", .keys = kTimeoutKeys};
constexpr Shape kSlices{.expected = "an integer from 1 to 1000", .integer = IntegerRule{1, 1000}};
constexpr Shape kMaxCost{
    .expected = "an amount and a currency, such as 20 USD", .null = true, .text = kCost};

}  // namespace kinetic::jobspec

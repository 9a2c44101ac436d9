#include "record/names.h"

#include <array>
#include <utility>

namespace kinetic {
namespace {

template <typename Enum, std::size_t kCount>
using Table = std::array<std::pair<Enum, std::string_view>, kCount>;

constexpr Table<JobState, 8> kStates = {{{JobState::kQueued, "queued"},
                                         {JobState::kPending, "pending"},
                                         {JobState::kRunning, "running"},
                                         {JobState::kSucceeded, "succeeded"},
                                         {JobState::kFailed, "failed"},
                                         {JobState::kCancelled, "cancelled"},
                                         {JobState::kPreempted, "preempted"},
                                         {JobState::kLost, "lost"}}};

constexpr Table<Phase, 10> kPhases = {{{Phase::kPackage, "package"},
                                       {Phase::kStage, "stage"},
                                       {Phase::kBuild, "build"},
                                       {Phase::kSubmit, "submit"},
                                       {Phase::kQueue, "queue"},
                                       {Phase::kProvision, "provision"},
                                       {Phase::kPull, "pull"},
                                       {Phase::kStart, "start"},
                                       {Phase::kRun, "run"},
                                       {Phase::kCollect, "collect"}}};

constexpr Table<ExitSource, 3> kSources = {{{ExitSource::kProgram, "program"},
                                            {ExitSource::kException, "exception"},
                                            {ExitSource::kKinetic, "kinetic"}}};

constexpr Table<Stream, 3> kStreams = {
    {{Stream::kStdout, "stdout"}, {Stream::kStderr, "stderr"}, {Stream::kSystem, "system"}}};

template <typename Enum, std::size_t kCount>
std::string_view NameIn(const Table<Enum, kCount>& table, Enum value) {
  for (const auto& [each, name] : table) {
    if (each == value) return name;
  }
  return "unknown";
}

template <typename Enum, std::size_t kCount>
std::optional<Enum> ParseIn(const Table<Enum, kCount>& table, std::string_view text) {
  for (const auto& [each, name] : table) {
    if (name == text) return each;
  }
  return std::nullopt;
}

}  // namespace

std::string_view Name(JobState state) { return NameIn(kStates, state); }
std::string_view Name(Phase phase) { return NameIn(kPhases, phase); }

bool IsTerminal(JobState state) {
  return state != JobState::kQueued && state != JobState::kPending && state != JobState::kRunning;
}

namespace record {

std::optional<JobState> ParseJobState(std::string_view name) { return ParseIn(kStates, name); }
std::optional<Phase> ParsePhase(std::string_view name) { return ParseIn(kPhases, name); }
std::string_view Name(ExitSource source) { return NameIn(kSources, source); }
std::optional<ExitSource> ParseExitSource(std::string_view name) { return ParseIn(kSources, name); }
std::string_view Name(Stream stream) { return NameIn(kStreams, stream); }
std::optional<Stream> ParseStream(std::string_view name) { return ParseIn(kStreams, name); }

}  // namespace record
}  // namespace kinetic

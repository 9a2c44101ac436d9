#include "record/task_arguments.h"

#include "kinetic/try.h"

#include "base/hash/digest.h"
#include "base/strings.h"
#include "record/object_names.h"
#include "record/task_id.h"

#include <fmt/format.h>

#include <optional>
#include <utility>

namespace kinetic::record {
namespace {

constexpr std::size_t kOffsetDigits = 12;
constexpr std::size_t kDigestDigits = 32;
/// "{end of the line, 12 digits} {half of the line's SHA-256}\n"
constexpr std::size_t kRowBytes = kOffsetDigits + kDigestDigits + 2;

std::string ShortDigest(std::string_view line) {
  return Sha256::Of(line).Hex().substr(0, kDigestDigits);
}

Failure DamagedArguments(std::string_view name) {
  return Fail(ErrorCode::kDataLoss, fmt::format("{}: the arguments of the task are damaged", name),
              "submit the job again");
}

/// Where a line ends, relative to the first one.
std::optional<std::uint64_t> EndIn(std::string_view row) {
  const auto end = ParseInt(row.substr(0, kOffsetDigits));
  return end && *end >= 0 ? std::optional(static_cast<std::uint64_t>(*end)) : std::nullopt;
}

Result<std::string> ReadRange(store::Store& store, std::string_view name, std::uint64_t offset,
                              std::uint64_t length, const std::stop_token& stop) {
  std::string text;
  const auto add = [&](std::string_view piece) -> Status {
    text.append(piece);
    return {};
  };
  KINETIC_ASSIGN_OR_RETURN(const auto read, store.Get(name, {offset, length}, add, stop));
  if (!read) {
    return Fail(ErrorCode::kDataLoss, fmt::format("{} is not in the store", name),
                "it was removed; submit the job again");
  }
  if (text.size() != length) return DamagedArguments(name);
  return text;
}

}  // namespace

std::string JoinArgumentLines(const std::vector<std::string>& lines) { return Join(lines, "\n"); }

std::string TaskArgumentsObject(const std::vector<std::string>& lines) {
  std::string object;
  std::uint64_t end = 0;
  for (const std::string& line : lines) {
    end += line.size() + 1;
    object += fmt::format("{:012} {}\n", end, ShortDigest(line));
  }
  for (const std::string& line : lines) object.append(line).append("\n");
  return object;
}

Result<std::string> ArgumentsLine(std::string_view lines, std::uint32_t task) {
  for (std::uint32_t i = 0; i < task; ++i) {
    const auto newline = lines.find('\n');
    if (newline == std::string_view::npos) return DamagedArguments(fmt::format("task {}", task));
    lines.remove_prefix(newline + 1);
  }
  return std::string(lines.substr(0, lines.find('\n')));
}

Result<std::string> ReadTaskArguments(store::Store& store, const Record& task,
                                      std::stop_token stop) {
  const auto id = ParseTaskId(task.id);
  if (!id || !task.spec.array) return Fail(ErrorCode::kInternal, "not a task: " + task.id);
  const std::string name = ArgumentsName(task.id, task.nonce);
  const std::uint64_t before = id->task == 0 ? 0 : 1;  // rows
  KINETIC_ASSIGN_OR_RETURN(
      const std::string rows,
      ReadRange(store, name, (id->task - before) * kRowBytes, (before + 1) * kRowBytes, stop));
  const std::string_view row = std::string_view(rows).substr(before * kRowBytes);
  const auto begin = before == 0 ? std::optional<std::uint64_t>(0) : EndIn(rows);
  const auto end = EndIn(row);
  if (!begin || !end || *end <= *begin) return DamagedArguments(name);
  const std::uint64_t first_line = task.spec.array->count * kRowBytes;
  KINETIC_ASSIGN_OR_RETURN(std::string line,
                           ReadRange(store, name, first_line + *begin, *end - *begin - 1, stop));
  if (ShortDigest(line) != row.substr(kOffsetDigits + 1, kDigestDigits))
    return DamagedArguments(name);
  return line;
}

Result<std::vector<std::string>> ReadAllTaskArguments(store::Store& store, const Record& job,
                                                      std::stop_token stop) {
  std::optional<std::string> text = job.inline_arguments;
  const std::string name = ArgumentsName(job.id, job.nonce);
  if (!text) {
    KINETIC_ASSIGN_OR_RETURN(text, store::GetBytes(store, name, std::move(stop)));
  }
  if (!text || Sha256::Of(*text) != job.arguments) return DamagedArguments(name);
  std::string_view left = *text;
  const std::uint32_t count = job.spec.array ? job.spec.array->count : 0;
  if (!job.inline_arguments) {
    if (left.size() < count * kRowBytes) return DamagedArguments(name);
    left.remove_prefix(count * kRowBytes);
  }
  std::vector<std::string> lines;
  for (std::uint32_t i = 0; i < count; ++i) {
    const auto newline = left.find('\n');
    lines.emplace_back(left.substr(0, newline));
    left.remove_prefix(newline == std::string_view::npos ? left.size() : newline + 1);
  }
  return lines;
}

}  // namespace kinetic::record

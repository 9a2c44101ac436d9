#include "runner/program_setup.h"

#include "base/try.h"
#include "record/arguments.h"
#include "record/layout.h"
#include "runner/job_program.h"

#include <utility>

namespace kinetic::runner {
namespace {

/// Path arguments as the program sees them.
Value Resolved(const Value& value, const JobCall& call) {
  if (const auto* list = value.AsList()) {
    Value::List items;
    for (const auto& item : *list) items.push_back(Resolved(item, call));
    return items;
  }
  const auto* map = value.AsMap();
  if (map == nullptr) return value;
  const Value* path = value.Find("$path");
  if (map->size() == 1 && path != nullptr && path->AsString() != nullptr) {
    return Value::Map{{"$path", ResolvePath(call, *path->AsString())}};
  }
  Value::Map members;
  for (const auto& [key, item] : *map) members.emplace_back(key, Resolved(item, call));
  return members;
}

Arguments Resolved(const Arguments& arguments, const JobCall& call) {
  Arguments resolved;
  for (const auto& value : arguments.positional) {
    resolved.positional.push_back(Resolved(value, call));
  }
  for (const auto& [name, value] : arguments.named) {
    resolved.named.emplace_back(name, Resolved(value, call));
  }
  return resolved;
}

}  // namespace

Result<Program> SetUpProgram(const ProgramSource& source) {
  const std::string base = source.store + "/";
  const std::string& id = source.record.id;
  const JobCall call{source.record,
                     source.request,
                     source.runtime,
                     source.arguments,
                     source.attempt,
                     base + std::string(record::kOutputPrefix) + id,
                     base + std::string(record::kCheckpointPrefix) + id};
  KINETIC_ASSIGN_OR_RETURN(Program program, JobProgram(call));
  if (!program.control) return program;
  KINETIC_RETURN_IF_ERROR(WriteShim(source.fs, source.runtime));
  const Path file = source.runtime.Exchange() / "arguments.json";
  KINETIC_ASSIGN_OR_RETURN(const UniqueFd fd, source.fs.Open(file, OpenMode::kTruncate, 0600));
  KINETIC_RETURN_IF_ERROR(
      source.fs.Write(fd.get(), record::ArgumentsToJson(Resolved(source.arguments, call))));
  return program;
}

}  // namespace kinetic::runner

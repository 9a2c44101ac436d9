#include "runner/program/request.h"

#include "kinetic/try.h"
#include "kinetic/value.h"

#include "base/strings.h"
#include "json/document.h"
#include "local/job_cache.h"

#include <algorithm>
#include <utility>

namespace kinetic::runner {
namespace {

constexpr std::string_view kDefaultPath =
    "/usr/local/sbin:/usr/local/bin:/usr/sbin:/usr/bin:/sbin:/bin";

Value TextsValue(const std::vector<std::string>& texts) {
  Value::List list;
  for (const auto& text : texts) list.emplace_back(text);
  return list;
}

std::vector<std::string> Texts(json::ObjectReader& reader, std::string_view key) {
  std::vector<std::string> texts;
  for (const auto& item : reader.List(key)) {
    if (item.AsString() != nullptr) {
      texts.push_back(*item.AsString());
    } else {
      reader.Reject(key, "expected a list of strings");
    }
  }
  return texts;
}

std::optional<std::chrono::milliseconds> Milliseconds(json::ObjectReader& reader,
                                                      std::string_view key) {
  const auto number = reader.OptionalInt(key);
  if (!number) return std::nullopt;
  return std::chrono::milliseconds(*number);
}

Result<std::optional<PackageEnvironment>> ReadEnvironment(const json::ObjectReader& request) {
  const Value* member = request.Member("python_environment");
  if (member == nullptr) return std::nullopt;
  json::ObjectReader reader(*member, "program.json: python_environment");
  PackageEnvironment environment{reader.String("root"), reader.String("python")};
  KINETIC_RETURN_IF_ERROR(reader.Finish());
  return environment;
}

void AppendPath(std::string& path_list, const std::string& folder) {
  const auto parts = Split(path_list, ':');
  if (std::ranges::find(parts, folder) != parts.end()) return;
  path_list += (path_list.empty() ? "" : ":") + folder;
}

/// Lets the variables of the container take precedence over the defaults.
void ApplyContainer(const std::vector<std::string>& defaults,
                    const std::map<std::string, std::string>& container,
                    std::map<std::string, std::string>& environment) {
  const auto has = [&](std::string_view name) {
    const auto own = container.find(std::string(name));
    return own != container.end() && !own->second.empty();
  };
  // Libraries find the models of an image in its XDG_CACHE_HOME unless these variables are set.
  constexpr std::string_view kGeneral = "XDG_CACHE_HOME";
  const bool has_cache = std::ranges::count(defaults, kGeneral) > 0 && has(kGeneral);
  for (const auto& name : defaults) {
    if (has(name)) {
      environment[name] = container.at(name);
    } else if (has_cache && std::ranges::count(local::kXdgCacheVariables, name) > 0) {
      environment.erase(name);
    }
  }
}

}  // namespace

std::string ToJson(const ProgramRequest& request) {
  Value::Map environment;
  for (const auto& [name, value] : request.program.environment)
    environment.emplace_back(name, value);
  Value::Map map{{"version", 1},
                 {"job_id", request.job_id},
                 {"attempt", std::int64_t{request.attempt}},
                 {"first_sequence", static_cast<std::int64_t>(request.first_sequence)},
                 {"argv", TextsValue(request.program.argv)},
                 {"environment", std::move(environment)},
                 {"working_directory", request.program.working_directory.native()},
                 {"exchange", request.program.exchange.native()},
                 {"calls_python", request.program.calls_python},
                 {"joined", TextsValue(request.joined)},
                 {"defaults", TextsValue(request.defaults)},
                 {"secrets", TextsValue(request.secrets)},
                 {"python", request.python},
                 {"image", request.image},
                 {"grace_ms", std::int64_t{request.limits.grace.count()}},
                 {"notes", TextsValue(request.notes)},
                 {"makes_calls", request.makes_calls}};
  if (request.environment) {
    map.emplace_back("python_environment", Value::Map{{"root", request.environment->root.native()},
                                                      {"python", request.environment->python}});
  }
  if (request.limits.run) map.emplace_back("run_ms", std::int64_t{request.limits.run->count()});
  return Value(std::move(map)).ToJson();
}

Result<ProgramRequest> ProgramRequestFromJson(std::string_view json) {
  auto value = Value::FromJson(json);
  if (!value) return Fail(ErrorCode::kDataLoss, "program.json: " + value.error().message);
  json::ObjectReader reader(*value, "program.json");
  ProgramRequest request;
  if (reader.Int("version") != 1)
    reader.Reject("version", "was written by another version of kinetic");
  request.job_id = reader.String("job_id");
  request.attempt = static_cast<std::uint32_t>(reader.Int("attempt"));
  request.first_sequence = static_cast<std::uint64_t>(reader.Int("first_sequence"));
  request.program.argv = Texts(reader, "argv");
  if (request.program.argv.empty()) reader.Reject("argv", "is empty");
  for (const auto& [name, text] : reader.Map("environment")) {
    if (text.AsString() != nullptr) request.program.environment.emplace(name, *text.AsString());
  }
  request.program.working_directory = reader.String("working_directory");
  request.program.exchange = reader.String("exchange");
  request.program.calls_python = reader.Bool("calls_python");
  request.joined = Texts(reader, "joined");
  request.defaults = Texts(reader, "defaults");
  request.secrets = Texts(reader, "secrets");
  request.python = reader.String("python");
  request.image = reader.String("image");
  request.limits.grace = Milliseconds(reader, "grace_ms").value_or(request.limits.grace);
  request.limits.run = Milliseconds(reader, "run_ms");
  request.limits.own_container = true;
  request.notes = Texts(reader, "notes");
  request.makes_calls = reader.Bool("makes_calls");
  KINETIC_ASSIGN_OR_RETURN(request.environment, ReadEnvironment(reader));
  KINETIC_RETURN_IF_ERROR(reader.Finish());
  return request;
}

std::map<std::string, std::string> ProgramEnvironment(
    const ProgramRequest& request, const std::map<std::string, std::string>& container) {
  std::map<std::string, std::string> environment = container;
  for (const auto& [name, value] : request.program.environment) environment[name] = value;
  ApplyContainer(request.defaults, container, environment);
  for (const auto& name : request.joined) {
    const auto own = container.find(name);
    if (own == container.end() || own->second.empty()) continue;
    std::string& value = environment[name];
    value += (value.empty() ? "" : ":") + own->second;
  }
  for (const auto& name : request.secrets) {
    const auto secret = container.find(name);
    if (secret != container.end()) environment[name] = secret->second;
  }
  environment.try_emplace("PATH", kDefaultPath);
  return environment;
}

void AddDriverPaths(FileSystem& fs, const Path& folder,
                    std::map<std::string, std::string>& environment) {
  const Path libraries = folder / "lib64";
  if (!fs.Lstat(libraries)) return;
  AppendPath(environment["LD_LIBRARY_PATH"], libraries.native());
  AppendPath(environment["PATH"], (folder / "bin").native());
}

}  // namespace kinetic::runner

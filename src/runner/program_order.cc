#include "runner/program_order.h"

#include "kinetic/value.h"

#include "base/try.h"
#include "json/reader.h"

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
      reader.Reject(key, "expected strings");
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

Result<std::optional<OrderedEnvironment>> ReadEnvironment(const json::ObjectReader& order) {
  const Value* member = order.Member("python_environment");
  if (member == nullptr) return std::nullopt;
  json::ObjectReader reader(*member, "program.json: python_environment");
  OrderedEnvironment environment{reader.String("root"), reader.String("python")};
  KINETIC_RETURN_IF_ERROR(reader.Finish());
  return environment;
}

}  // namespace

std::string ToJson(const ProgramOrder& order) {
  Value::Map environment;
  for (const auto& [name, value] : order.program.environment) environment.emplace_back(name, value);
  Value::Map map{{"version", 1},
                 {"job_id", order.job_id},
                 {"attempt", std::int64_t{order.attempt}},
                 {"first_sequence", static_cast<std::int64_t>(order.first_sequence)},
                 {"argv", TextsValue(order.program.argv)},
                 {"environment", std::move(environment)},
                 {"working_directory", order.program.working_directory.native()},
                 {"control", order.program.control},
                 {"joined", TextsValue(order.joined)},
                 {"secrets", TextsValue(order.secrets)},
                 {"python", order.python},
                 {"image", order.image},
                 {"grace_ms", std::int64_t{order.limits.grace.count()}},
                 {"notes", TextsValue(order.notes)}};
  if (order.environment) {
    map.emplace_back("python_environment", Value::Map{{"root", order.environment->root.native()},
                                                      {"python", order.environment->python}});
  }
  if (order.limits.run) map.emplace_back("run_ms", std::int64_t{order.limits.run->count()});
  return Value(std::move(map)).ToJson();
}

Result<ProgramOrder> ProgramOrderFromJson(std::string_view json) {
  auto value = Value::FromJson(json);
  if (!value) return Fail(ErrorCode::kDataLoss, "program.json: " + value.error().message);
  json::ObjectReader reader(*value, "program.json");
  ProgramOrder order;
  if (reader.Int("version") != 1) reader.Reject("version", "made by another version of kinetic");
  order.job_id = reader.String("job_id");
  order.attempt = static_cast<std::uint32_t>(reader.Int("attempt"));
  order.first_sequence = static_cast<std::uint64_t>(reader.Int("first_sequence"));
  order.program.argv = Texts(reader, "argv");
  if (order.program.argv.empty()) reader.Reject("argv", "is empty");
  for (const auto& [name, text] : reader.Map("environment")) {
    if (text.AsString() != nullptr) order.program.environment.emplace(name, *text.AsString());
  }
  order.program.working_directory = reader.String("working_directory");
  order.program.control = reader.Bool("control");
  order.joined = Texts(reader, "joined");
  order.secrets = Texts(reader, "secrets");
  order.python = reader.String("python");
  order.image = reader.String("image");
  order.limits.grace = Milliseconds(reader, "grace_ms").value_or(order.limits.grace);
  order.limits.run = Milliseconds(reader, "run_ms");
  order.limits.own_container = true;
  order.notes = Texts(reader, "notes");
  KINETIC_ASSIGN_OR_RETURN(order.environment, ReadEnvironment(reader));
  KINETIC_RETURN_IF_ERROR(reader.Finish());
  return order;
}

std::map<std::string, std::string> EnvironmentOf(
    const ProgramOrder& order, const std::map<std::string, std::string>& container) {
  std::map<std::string, std::string> environment = container;
  for (const auto& [name, value] : order.program.environment) environment[name] = value;
  for (const auto& name : order.joined) {
    const auto own = container.find(name);
    if (own == container.end() || own->second.empty()) continue;
    std::string& value = environment[name];
    value += (value.empty() ? "" : ":") + own->second;
  }
  for (const auto& name : order.secrets) {
    const auto secret = container.find(name);
    if (secret != container.end()) environment[name] = secret->second;
  }
  environment.try_emplace("PATH", kDefaultPath);
  return environment;
}

}  // namespace kinetic::runner

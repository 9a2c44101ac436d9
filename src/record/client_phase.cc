#include "record/client_phase.h"

#include "kinetic/try.h"

#include "record/json_fields.h"

#include <utility>

namespace kinetic::record {

Value ClientPhasesValue(const std::vector<ClientPhase>& phases) {
  Value::List list;
  for (const auto& each : phases) {
    Value::Map map = {{"phase", std::string(kinetic::Name(each.phase))},
                      {"begun", FormatTime(each.begun)},
                      {"ended", FormatTime(each.ended)}};
    if (!each.detail.empty()) map.emplace_back("detail", each.detail);
    list.emplace_back(std::move(map));
  }
  return Value(std::move(list));
}

Result<std::vector<ClientPhase>> ReadClientPhases(json::ObjectReader& reader, std::string_view key,
                                                  std::string_view document) {
  std::vector<ClientPhase> phases;
  if (!reader.Has(key)) return phases;
  for (const Value& item : reader.List(key)) {
    json::ObjectReader fields(item, std::string(document) + ": " + std::string(key));
    const auto phase = ParsePhase(fields.String("phase"));
    ClientPhase each{phase.value_or(Phase::kPackage), ReadTime(fields, "begun"),
                     ReadTime(fields, "ended"), ReadText(fields, "detail")};
    KINETIC_RETURN_IF_ERROR(fields.Finish());
    if (phase) phases.push_back(std::move(each));
  }
  return phases;
}

}  // namespace kinetic::record

#include "record/job_cost.h"

#include "kinetic/job_cost.h"
#include "kinetic/try.h"

#include "base/strings.h"
#include "json/document.h"
#include "record/object_names.h"
#include "record/outcome.h"

#include <algorithm>
#include <array>
#include <string>
#include <string_view>
#include <utility>

namespace kinetic::record {
namespace {

using std::chrono::milliseconds;

constexpr std::array kProvisionings{Provisioning::kOnDemand, Provisioning::kSpot,
                                    Provisioning::kFlexStart};
/// A price above this is not one of a job's nodes.
constexpr double kMaxDollarsPerHour = 1e6;

/// Returns whether a pod is on its node from this event on.
bool IsOnNode(std::string_view event) {
  return event == "scheduled" || event == "claimed" || event == "started";
}

milliseconds Between(WallTime begun, WallTime ended) {
  return std::max(milliseconds(0), std::chrono::duration_cast<milliseconds>(ended - begun));
}

}  // namespace

Value JobPriceValue(const JobPrice& price) {
  Value::Map map{{"region", price.region}, {"nodes", std::string(Name(price.provisioning))}};
  if (price.price) {
    map.emplace_back("dollars_per_hour", price.price->dollars_per_hour);
    map.emplace_back("date", price.price->date);
  }
  return map;
}

std::optional<JobPrice> JobPriceFrom(const Value& value) {
  json::ObjectReader reader(value, "price");
  JobPrice price{.region = reader.String("region")};
  const std::string nodes = reader.String("nodes");
  const auto* const known =
      std::ranges::find_if(kProvisionings, [&](Provisioning each) { return Name(each) == nodes; });
  if (known == kProvisionings.end()) return std::nullopt;
  price.provisioning = *known;
  if (reader.Has("dollars_per_hour")) {
    price.price = Price{reader.Number("dollars_per_hour"), reader.String("date")};
    const double dollars = price.price->dollars_per_hour;
    if (!(dollars >= 0 && dollars <= kMaxDollarsPerHour)) return std::nullopt;
  }
  return reader.Finish() ? std::optional(std::move(price)) : std::nullopt;
}

milliseconds NodeTimeFromText(std::string_view text) {
  const milliseconds held{ParseInt(text).value_or(0)};
  return held >= milliseconds(0) && held <= kMaxNodeTime ? held : milliseconds(0);
}

milliseconds NodeTimeOf(const std::vector<Moment>& moments) {
  const auto begun =
      std::ranges::find_if(moments, [](const Moment& moment) { return IsOnNode(moment.name); });
  if (begun == moments.end()) return {};
  const auto ended = std::ranges::max_element(moments, {}, &Moment::time);
  return Between(begun->time, ended->time);
}

Result<milliseconds> ReadNodeTime(store::Store& store, const JobKey& job, std::uint32_t attempt,
                                  std::stop_token stop) {
  for (std::uint32_t earlier = attempt; earlier-- > 1;) {
    const std::string name = RunResultName(RunKey(job.id, earlier));
    KINETIC_ASSIGN_OR_RETURN(const auto text, store::GetBytes(store, name, stop));
    if (!text) continue;
    KINETIC_ASSIGN_OR_RETURN(const auto outcome, OutcomeOfJob(*text, job));
    return outcome.node_time;
  }
  return milliseconds(0);
}

}  // namespace kinetic::record

namespace kinetic::inline v0 {
namespace {

/// Returns for how long the last attempt of a job has held its node, unless that is recorded. Older
/// runners do not record it.
std::chrono::milliseconds CurrentNodeTime(const JobSummary& job, WallTime now) {
  if (IsTerminal(job.state)) {
    const bool has_times = job.started && job.finished && job.node_time.count() == 0;
    return has_times ? record::Between(*job.started, *job.finished) : std::chrono::milliseconds(0);
  }
  const auto on_node = std::ranges::find_if(
      job.timeline, [](const auto& event) { return record::IsOnNode(event.first); });
  if (on_node != job.timeline.end()) return record::Between(on_node->second, now);
  return job.started ? record::Between(*job.started, now) : std::chrono::milliseconds(0);
}

/// Returns the price of the job's nodes now.
std::optional<Price> CurrentPrice(const JobSummary& job, const Prices& prices) {
  const auto accelerator = ParseAccelerator(job.accelerator.empty() ? "cpu" : job.accelerator);
  if (!accelerator) return std::nullopt;
  return PriceOf(prices, *accelerator, job.price->region, job.price->provisioning);
}

}  // namespace

std::optional<JobCost> CostOf(const JobSummary& job, const Prices& prices,
                              std::chrono::system_clock::time_point now) {
  if (!job.price || (job.tasks && !IsTerminal(job.state))) return std::nullopt;
  const bool is_known = job.price->price.has_value();
  auto price = is_known ? job.price->price : CurrentPrice(job, prices);
  if (!price) return std::nullopt;
  JobCost cost{.node_time = job.node_time + CurrentNodeTime(job, now),
               .price = *std::move(price),
               .is_current_price = !is_known};
  const std::chrono::duration<double, std::ratio<3600>> hours = cost.node_time;
  cost.dollars = hours.count() * cost.price.dollars_per_hour;
  return cost;
}

}  // namespace kinetic::inline v0

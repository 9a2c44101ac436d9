#include "provision/compute_lists.h"

#include "kinetic/try.h"

#include "base/strings.h"
#include "google/api/services.h"
#include "http/url.h"
#include "json/document.h"

namespace kinetic::provision {

Status ListEverywhere(const google::ApiClient& api, const ComputeList& list,
                      const ComputeItemSink& each, const std::stop_token& stop) {
  std::string path = "/compute/v1/projects/" + http::PercentEncode(list.project) + "/aggregated/" +
                     list.kind + "?maxResults=500";
  if (!list.filter.empty()) path += "&filter=" + http::PercentEncode(list.filter);
  const auto take = [&](const Value& page) -> Status {
    json::ObjectReader reader(page, list.kind);
    for (const auto& [scope, found] : reader.Map("items")) {
      json::ObjectReader items(found, scope);
      const std::string place = scope.substr(scope.find('/') + 1);
      const Value* warning = found.Find("warning");
      const std::string code = warning != nullptr ? json::TextAt(*warning, "code") : "";
      if (!code.empty() && code != "NO_RESULTS_ON_PAGE")
        return Fail(ErrorCode::kUnavailable,
                    "the list of " + list.kind + " is incomplete in " + Printable(place) + ": " +
                        Printable(json::TextAt(*warning, "message")),
                    "try again later");
      for (const Value& item : items.List(list.kind)) each(place, item);
      KINETIC_RETURN_IF_ERROR(items.Finish());
    }
    return reader.Finish();
  };
  return api.ForEachPage(std::string(google::kCompute), path, take, stop);
}

}  // namespace kinetic::provision

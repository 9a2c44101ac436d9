#pragma once

#include "kinetic/result.h"
#include "kinetic/value.h"

#include "google/api/client.h"

#include <functional>
#include <stop_token>
#include <string>

namespace kinetic::provision {

/// Receives an item of a list, with its zone or region, or "global".
using ComputeItemSink = std::function<void(const std::string& place, const Value& item)>;

/// A list of Compute Engine resources in all zones and regions of a project.
struct ComputeList {
  std::string project;
  std::string kind;    ///< "machineTypes"
  std::string filter;  ///< "name=ct5lp-hightpu-1t"; empty: all
};

/// Calls `each` with every item, over all pages.
///
/// @source  https://cloud.google.com/compute/docs/reference/rest/v1/machineTypes/aggregatedList
/// @errors  those of ApiClient.
Status ListEverywhere(const google::ApiClient& api, const ComputeList& list,
                      const ComputeItemSink& each, const std::stop_token& stop);

}  // namespace kinetic::provision

#pragma once

#include "kinetic/result.h"
#include "kinetic/value.h"

#include "http/transport.h"
#include "kube/operation.h"
#include "kube/options.h"

#include <functional>
#include <string>

namespace kinetic::kube {

/// A listing that is read page by page.
struct Listing {
  const Operation& operation;
  http::Url url;  ///< of the collection
  Query query;
  /// Asks for a page; any status is an answer.
  std::function<Result<http::Response>(const std::string& url)> ask;
  std::function<Status(const Value& item)> each;
  /// The pages so far are of a list that the server has forgotten: it begins anew.
  std::function<void()> on_restart;
};

/// @returns  the resourceVersion of the list. @errors those of `ask`, of `each` and of ErrorOf ·
///           kDataLoss (an answer that is no list).
Result<std::string> ReadPages(const Listing& listing);

/// Adds the selectors to an address.
void AddSelectors(http::Url& url, const Query& query);

}  // namespace kinetic::kube

#pragma once

#include "kinetic/result.h"
#include "kinetic/value.h"

#include "http/transport.h"
#include "kube/operation.h"

namespace kinetic::kube {

/// The object in an answer of 2xx.
///
/// @errors  kDataLoss: there is none.
Result<Value> ObjectIn(const Operation& operation, const http::Response& response);

}  // namespace kinetic::kube

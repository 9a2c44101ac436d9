#pragma once

#include "kinetic/error.h"

#include "http/transport.h"
#include "kube/operation.h"
#include "kube/status_object.h"

namespace kinetic::kube {

/// What a refusal of an API server means: the one map from its Status objects to ours.
///
/// 400, 422 kInvalidArgument · 401 kUnauthenticated · 403 kPermissionDenied (RBAC: the hint is the
/// rule that grants it), kResourceExhausted (quota), kFailedPrecondition (admission: Pod Security,
/// a webhook, a namespace that is being removed) · 404 kNotFound, kUnimplemented when the kind is
/// not served · 409 kAlreadyExists, kAborted (Conflict) · 410 kAborted · 413 kInvalidArgument · 429
/// kResourceExhausted · 408, 5xx kUnavailable.
///
/// The details "status", "reason", "verb", "resource", "namespace", "name", "account" and, once for
/// each, "cause" are there where they are known.
///
/// @source https://github.com/kubernetes/apimachinery/blob/master/pkg/apis/meta/v1/types.go
Error ErrorOf(const Operation& operation, const StatusObject& status);
Error ErrorOf(const Operation& operation, const http::Response& response);

}  // namespace kinetic::kube

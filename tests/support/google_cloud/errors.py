"""Errors in Google's shape."""

STATUSES = {400: "INVALID_ARGUMENT", 401: "UNAUTHENTICATED", 403: "PERMISSION_DENIED",
            404: "NOT_FOUND", 409: "ALREADY_EXISTS", 412: "FAILED_PRECONDITION",
            429: "RESOURCE_EXHAUSTED", 500: "INTERNAL", 501: "UNIMPLEMENTED", 503: "UNAVAILABLE"}
REASONS = {400: "invalid", 401: "authError", 403: "forbidden", 404: "notFound", 409: "conflict",
           412: "conditionNotMet", 429: "rateLimitExceeded", 500: "backendError",
           501: "notImplemented", 503: "backendError"}
CODES = {"INVALID_ARGUMENT": 3, "NOT_FOUND": 5, "PERMISSION_DENIED": 7, "RESOURCE_EXHAUSTED": 8,
         "FAILED_PRECONDITION": 9, "ABORTED": 10, "INTERNAL": 13, "UNAVAILABLE": 14}
OLD_SHAPE = ("storage", "compute")  # these services send errors[]; storage sends no status


class GoogleError(Exception):
    """@param code    HTTP status
    @param status   canonical code, if it is not the usual one of `code`
    @param reason   of errors[] in the old shape
    """

    def __init__(self, code, message, status=None, details=(), reason=None):
        super().__init__(message)
        self.code, self.message, self.details = code, message, list(details)
        self.status = status or STATUSES[code]
        self.reason = reason or REASONS[code]

    def body(self, service):
        """Returns the response document in the shape of a service ("storage")."""
        error = {"code": self.code, "message": self.message}
        if service in OLD_SHAPE:
            error["errors"] = [{"message": self.message, "domain": "global",
                                "reason": self.reason}]
        if service != "storage":
            error["status"] = self.status
        if self.details:
            error["details"] = self.details
        return {"error": error}


class OperationFailed(Exception):
    """Ends a long-running operation with an error.

    @param condition  code of a StatusCondition ("GCE_STOCKOUT"), or None
    """

    def __init__(self, status, message, condition=None):
        super().__init__(message)
        self.status, self.message, self.condition = status, message, condition


def error_info(reason, domain="googleapis.com", **metadata):
    return {"@type": "type.googleapis.com/google.rpc.ErrorInfo", "reason": reason,
            "domain": domain, "metadata": metadata}


def help_link(description, url):
    return {"@type": "type.googleapis.com/google.rpc.Help",
            "links": [{"description": description, "url": url}]}


def quota_failure(subject, description):
    return {"@type": "type.googleapis.com/google.rpc.QuotaFailure",
            "violations": [{"subject": subject, "description": description}]}


def retry_info(seconds):
    return {"@type": "type.googleapis.com/google.rpc.RetryInfo", "retryDelay": f"{seconds}s"}


def field_violation(field, description):
    return {"@type": "type.googleapis.com/google.rpc.BadRequest",
            "fieldViolations": [{"field": field, "description": description}]}

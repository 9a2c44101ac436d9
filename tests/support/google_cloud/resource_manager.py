"""Resource Manager: the project and its policy."""

from .calls import handles
from .errors import GoogleError

PREFIX = "cloudresourcemanager.projects."


@handles(PREFIX + "get", "resourcemanager.projects.get")
def get(cloud, _):
    options = cloud.options
    return {"name": f"projects/{options.number}", "projectId": options.project,
            "displayName": options.project, "state": options.project_state,
            "createTime": "2026-01-01T00:00:00.000000Z", "etag": "W/\"1\""}


@handles(PREFIX + "getIamPolicy", "resourcemanager.projects.getIamPolicy")
def get_policy(cloud, call):
    options = (call.body or {}).get("options", {})
    return cloud.iam.policy(call.name, options.get("requestedPolicyVersion", 1))


@handles(PREFIX + "setIamPolicy", "resourcemanager.projects.setIamPolicy")
def set_policy(cloud, call):
    wanted = call.body["policy"]
    owners = [member for binding in wanted.get("bindings", [])
              if binding.get("role") == "roles/owner" for member in binding.get("members", [])]
    if not owners:
        raise GoogleError(400, "A policy update must keep at least one project owner.",
                          "FAILED_PRECONDITION")
    return cloud.iam.set(call.name, wanted)


@handles(PREFIX + "testIamPermissions")
def test_permissions(cloud, call):
    granted = [permission for permission in call.body["permissions"]
               if cloud.iam.allows(call.caller, permission, [call.name])]
    return {"permissions": granted} if granted else {}

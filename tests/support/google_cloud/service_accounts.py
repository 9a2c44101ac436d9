"""IAM: service accounts."""

import re

from .calls import handles
from .errors import GoogleError
from .state import page, public

PREFIX = "iam.projects.serviceAccounts."
NAME = re.compile(r"[a-z]([-a-z0-9]{4,28}[a-z0-9])")


@handles(PREFIX + "create", "iam.serviceAccounts.create")
def create(cloud, call):
    identifier, project = call.body["accountId"], cloud.options.project
    if not NAME.fullmatch(identifier):
        raise GoogleError(400, f"The account ID \"{identifier}\" does not have a length between 6 "
                               f"and 30 or does not match {NAME.pattern}.")
    email = f"{identifier}@{project}.iam.gserviceaccount.com"
    name = f"projects/{project}/serviceAccounts/{email}"
    if email in cloud.state["serviceAccounts"]:
        raise GoogleError(409, f"Service account {identifier} already exists within project "
                               f"projects/{project}.")
    unique_id = str(10**20 + cloud.random_bits(62))
    cloud.state["serviceAccounts"][email] = {
        **call.body.get("serviceAccount", {}), "name": name, "projectId": project,
        "uniqueId": unique_id, "email": email, "oauth2ClientId": unique_id, "etag": "MDEwMjE5MjA=",
        "_created": cloud.clock.now()}
    cloud.iam.create(name)
    return public(cloud.state["serviceAccounts"][email])


@handles(PREFIX + "get", "iam.serviceAccounts.get")
def get(cloud, call):
    return public(find(cloud, call))


@handles(PREFIX + "list", "iam.serviceAccounts.list")
def list_all(cloud, call):
    found = [public(one) for _, one in sorted(cloud.state["serviceAccounts"].items())]
    found, token = page(found, call.query)
    return {**({"accounts": found} if found else {}),
            **({"nextPageToken": token} if token else {})}


@handles(PREFIX + "patch", "iam.serviceAccounts.update")
def patch(cloud, call):
    account = find(cloud, call)
    for field in call.body["updateMask"].split(","):
        if field not in ("displayName", "description", "display_name"):
            raise GoogleError(400, f"Invalid update mask: {field}")
        field = "displayName" if field == "display_name" else field
        account[field] = call.body["serviceAccount"].get(field, "")
    return public(account)


@handles(PREFIX + "delete", "iam.serviceAccounts.delete")
def delete(cloud, call):
    account = find(cloud, call)
    del cloud.state["serviceAccounts"][account["email"]]
    cloud.iam.delete(account["name"])
    cloud.iam.mark_deleted(account["email"], account["uniqueId"])
    return {}


@handles(PREFIX + "getIamPolicy", "iam.serviceAccounts.getIamPolicy")
def get_policy(cloud, call):
    version = int(call.query.get("options.requestedPolicyVersion") or 1)
    return cloud.iam.policy(find(cloud, call)["name"], version)


@handles(PREFIX + "setIamPolicy", "iam.serviceAccounts.setIamPolicy")
def set_policy(cloud, call):
    return cloud.iam.set(find(cloud, call)["name"], call.body["policy"])


def find(cloud, call):
    """Returns an account by its email address or its unique identifier."""
    wanted = call.name.rpartition("/")[2]
    for email, account in cloud.state["serviceAccounts"].items():
        if wanted in (email, account["uniqueId"]):
            return account
    raise GoogleError(404, f"Unknown service account: {call.name}")

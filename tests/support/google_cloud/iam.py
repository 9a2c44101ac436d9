"""Policies, their propagation, and access checks."""

import base64
import copy
import hashlib
import re

from . import conditions
from .errors import GoogleError, error_info
from .roles import CONVENIENCE, ROLES, includes

MEMBER = re.compile(r"(user|group|domain|serviceAccount|principal|principalSet|projectOwner|"
                    r"projectEditor|projectViewer|deleted:serviceAccount|deleted:user):.+"
                    r"|allUsers|allAuthenticatedUsers|principal(Set)?://.+")
PRINCIPAL = re.compile(r"principal://iam\.googleapis\.com/projects/(\d+)/locations/global/"
                       r"workloadIdentityPools/([^/]+)\.svc\.id\.goog/subject/ns/[^/]+/sa/[^/]+")
RACE = ("There were concurrent policy changes. Please retry the whole read-modify-write with "
        "exponential backoff. The request's ETag '{}' did not match the current policy's ETag "
        "'{}'.")


class Iam:
    """Policies by resource: "projects/p", "buckets/b", or a full resource name."""

    def __init__(self, cloud):
        self._cloud = cloud
        self._history = {}  # by resource: [(time of visibility, policy)], oldest first

    def create(self, resource, bindings=()):
        """Starts a policy that is visible at once."""
        self._history[resource] = [(0.0, self._sealed(bindings, 1, 0))]

    def delete(self, resource):
        self._history.pop(resource, None)

    def policy(self, resource, version=1):
        """Returns the newest policy as requested in a version."""
        found = copy.deepcopy(self._history[resource][-1][1])
        return found if version >= 3 else _without_conditions(found)

    def policies(self):
        return {resource: history[-1][1] for resource, history in self._history.items()}

    def set(self, resource, wanted, race_code=409, status="ABORTED"):
        """Replaces a policy; an etag that is not current is refused."""
        current = self._history[resource][-1][1]
        etag = wanted.get("etag")
        if etag and etag != current["etag"]:
            raise GoogleError(race_code, RACE.format(etag, current["etag"]), status)
        self._check(wanted, {binding["role"] for binding in current["bindings"]})
        new = self._sealed(wanted.get("bindings", []), wanted.get("version", 1),
                           len(self._history[resource]))
        at = self._cloud.clock.now() + self._cloud.options.iam_delay
        self._history[resource].append((at, new))
        return copy.deepcopy(new)

    def mark_deleted(self, email, unique_id):
        """Rewrites the members of policies after the deletion of a service account."""
        old, new = f"serviceAccount:{email}", f"deleted:serviceAccount:{email}?uid={unique_id}"
        for history in self._history.values():
            for _, policy in history:
                for binding in policy["bindings"]:
                    binding["members"] = [new if member == old else member
                                          for member in binding["members"]]

    def allows(self, member, permission, chain, name=""):
        """Returns whether a member has a permission on one of a chain of resources.

        @param name  of the resource, as seen by conditions
        """
        return any(includes(role, permission) for role in self.roles(member, chain, name))

    def roles(self, member, chain, name=""):
        """Returns the visible roles of a member on a chain of resources."""
        return {binding["role"] for resource in chain for binding in self._visible(resource)
                if self._has_member(binding, member)
                and ("condition" not in binding or conditions.holds(binding["condition"], name))}

    def _visible(self, resource):
        now = self._cloud.clock.now()
        seen = [policy for at, policy in self._history.get(resource, ()) if at <= now]
        return seen[-1]["bindings"] if seen else []

    def _has_member(self, binding, member):
        for name in binding["members"]:
            kind, _, project = name.partition(":")
            if name == member or name == "allUsers":
                return True
            if kind in CONVENIENCE and self._has_project_role(member, project, CONVENIENCE[kind]):
                return True
        return False

    def _has_project_role(self, member, project, role):
        return any(binding["role"] == role and member in binding["members"]
                   for binding in self._visible(f"projects/{project}"))

    def _check(self, wanted, old_roles):
        for binding in wanted.get("bindings", []):
            role = binding.get("role", "")
            if role not in ROLES and role not in old_roles:
                raise GoogleError(400, f"Role {role} is not supported for this resource.")
            for member in binding.get("members", []):
                self._check_member(member)
            if "condition" in binding:
                self._check_condition(binding["condition"], wanted.get("version", 1))

    def _check_member(self, member):
        if not MEMBER.fullmatch(member):
            raise GoogleError(400, f"Invalid principal {member}.", details=[error_info(
                "INVALID_PRINCIPAL", "iam.googleapis.com", principal=member)])
        if member.startswith("principal://"):
            self._check_principal(member)
        kind, _, email = member.partition(":")
        if kind == "serviceAccount" and not self._cloud.knows_account(email):
            raise GoogleError(400, f"Service account {email} does not exist.")

    def _check_principal(self, member):
        options, found = self._cloud.options, PRINCIPAL.fullmatch(member)
        if not found or found[1] != options.number or found[2] != options.project:
            raise GoogleError(400, f"Invalid principal {member}.")
        if options.pool_needs_cluster and not self._cloud.state["workloadPools"]:
            raise GoogleError(400, f"Identity Pool does not exist ({found[2]}.svc.id.goog).")

    @staticmethod
    def _check_condition(condition, version):
        if version != 3:
            raise GoogleError(400, "Policies with conditions must have version 3.")
        if not condition.get("title") or \
                conditions.terms(condition.get("expression", "")) is None:
            raise GoogleError(400, "Condition expression compilation failed: the stand-in knows "
                                   "startsWith and == of resource.name, joined by ||, and wants "
                                   "a title")

    @staticmethod
    def _sealed(bindings, version, number):
        """Returns a policy with a new etag."""
        bindings = [copy.deepcopy(binding) for binding in bindings if binding.get("members")]
        seed = f"{number}{bindings}".encode()
        etag = base64.b64encode(b"\x07\x06" + hashlib.sha256(seed).digest()[:6]).decode()
        version = 3 if any("condition" in binding for binding in bindings) else min(version, 1)
        return {"version": version, "etag": etag, "bindings": bindings}


def _without_conditions(policy):
    """Returns a policy in version 1: roles of conditional bindings get a suffix."""
    for binding in policy["bindings"]:
        if condition := binding.pop("condition", None):
            digest = hashlib.sha256(str(condition).encode()).hexdigest()[:20]
            binding["role"] += f"_withcond_{digest}"
    return {**policy, "version": 1}

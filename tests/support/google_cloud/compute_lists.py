"""Compute Engine: lists, aggregated lists and their filters."""

import re

from . import catalog
from .errors import GoogleError
from .filters import matches
from .state import page, public

PER_ZONE = {"disks", "instances", "reservations", "machineTypes", "acceleratorTypes"}


def _filtered(cloud, call, items):
    text = call.query.get("filter", "")
    try:
        return [item for item in items if matches(text, item)]
    except ValueError as error:
        cloud.violations.append({"method": call.method, "problems": [str(error)]})
        raise GoogleError(400, f"Invalid value for field 'filter': '{text}'. {error}") from None


def listed(cloud, call, resource, items):
    found, token = page(_filtered(cloud, call, items), call.query, "maxResults", 500)
    shown = {"kind": f"compute#{resource}List", "id": call.name}
    return {**shown, **({"items": public(found)} if found else {}),
            **({"nextPageToken": token} if token else {})}


def aggregated(cloud, call, kind, items):
    kept = _filtered(cloud, call, [one for _, one in items])
    pairs, token = page([(place, one) for place, one in items if one in kept], call.query,
                        "maxResults", 500)
    scopes = {f"zones/{zone}" for zone in catalog.zones_of(cloud.options)} \
        if kind in PER_ZONE else \
        {f"regions/{region}" for region in catalog.regions(cloud.options)} | {"global"}
    found = {scope: {"warning": {"code": "NO_RESULTS_ON_PAGE", "message": (
        f"There are no results for scope '{scope}' on this page."), "data": [
            {"key": "scope", "value": scope}]}} for scope in sorted(scopes)}
    for place, one in pairs:
        scope = found.setdefault(place, {})
        scope.pop("warning", None)
        scope.setdefault(kind, []).append(public(one))
    return {"kind": f"compute#{re.sub('e?s$', '', kind) if kind == 'addresses' else kind[:-1]}"
                    "AggregatedList", "id": call.name, "items": found,
            **({"nextPageToken": token} if token else {})}


def not_found(call, resource):
    return GoogleError(404, f"The resource 'projects/{call.params['project']}/{resource}' was "
                            "not found")

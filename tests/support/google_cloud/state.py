"""Everything that exists in the stand-in's project."""

import collections
import copy

COSTS = {"clusters": "cluster fee", "instances": "VM", "disks": "disk", "addresses": "static address",
         "forwardingRules": "forwarding rule", "routers": "NAT gateway"}


class State(collections.defaultdict):
    """Resources by kind and name. Keys that start with "_" are the stand-in's own."""

    def __init__(self):
        super().__init__(dict)

    def shown(self):
        return {kind: copy.deepcopy(things) for kind, things in self.items() if things}

    def costs(self):
        """Returns the resources that cost money as long as they exist."""
        found = [{"kind": kind, "name": name, "why": why}
                 for kind, why in COSTS.items() for name in self[kind]]
        found += [{"kind": "nodes", "name": name,
                   "why": f"{pool['_size'] * len(pool['locations'])} nodes"}
                  for name, pool in self["nodePools"].items() if pool["_size"]]
        found += [{"kind": "buckets", "name": name, "why": "stored objects"}
                  for name, bucket in self["buckets"].items() if bucket.get("_objects")]
        return found


def public(resource):
    """Returns a copy of a resource without the stand-in's own fields."""
    if isinstance(resource, dict):
        return {key: public(value) for key, value in resource.items()
                if not key.startswith("_")}
    if isinstance(resource, list):
        return [public(item) for item in resource]
    return resource


def page(items, query, size_name="pageSize", default=100):
    """Returns a page of a list and the token of the next page or None."""
    start = int(query.get("pageToken") or 0)
    size = int(query.get(size_name) or 0) or default
    end = start + size
    return items[start:end], str(end) if len(items) > end else None

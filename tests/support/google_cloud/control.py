"""Control requests of tests: /_control/..."""

import json
import urllib.parse

from .state import public


def control(cloud, verb, target, content):
    """Returns HTTP status and document."""
    path, _, query = target.partition("?")
    action = ACTIONS.get((verb, path.removeprefix("/_control/")))
    if not action:
        return 404, {"error": f"unknown control request: {verb} {path}"}
    try:
        given = json.loads(content) if content else dict(urllib.parse.parse_qsl(query))
        return 200, action(cloud, given)
    except (ValueError, TypeError, KeyError) as error:
        return 400, {"error": str(error)}


def _state(cloud, _):
    with cloud.lock:
        policies = {name: public(policy) for name, policy in cloud.iam.policies().items()}
        return {"resources": public(cloud.state.shown()), "policies": policies,
                "costs": cloud.state.costs(), "now": cloud.clock.text()}


def _faults(cloud, given):
    if isinstance(given, list):
        given = {"rules": given}
    with cloud.lock:
        cloud.faults.set(**given)
    return {}


def _options(cloud, given):
    with cloud.lock:
        cloud.options.change(given)
    return {}


def _advance(cloud, given):
    cloud.clock.advance(float(given["seconds"]))
    cloud.settle()
    return {"now": cloud.clock.text()}


def _hold(cloud, given):
    """`at`: number of the request in the log; `in`: counted from the next request."""
    at = given["at"] if "at" in given else len(cloud.log) + given["in"]
    cloud.hold.set(at, given.get("phase", "before"))
    return {"at": at}


def _held(cloud, given):
    entry = cloud.hold.held(float(given.get("timeout", 60)))
    return entry if entry else {"held": False}


def _release(cloud, given):
    cloud.hold.release(given.get("apply"))
    return {}


def _put(cloud, given):
    """Adds a resource of any kind, such as a disk of another program."""
    with cloud.lock:
        cloud.state[given["kind"]][given["name"]] = given["resource"]
    return {}


def _list(name):
    def listed(cloud, _):
        with cloud.lock:
            return {name: list(getattr(cloud, name))}
    return listed


ACTIONS = {("GET", "log"): _list("log"), ("GET", "violations"): _list("violations"),
           ("GET", "state"): _state, ("POST", "faults"): _faults, ("POST", "options"): _options,
           ("POST", "advance"): _advance, ("POST", "hold"): _hold, ("GET", "held"): _held,
           ("POST", "release"): _release, ("POST", "resources"): _put}

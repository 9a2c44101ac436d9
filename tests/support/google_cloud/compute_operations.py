"""Compute Engine: operations of zones and regions."""

from .calls import Again, handles
from .compute_lists import not_found
from .disks import LINK

WAIT = 120  # seconds that operations.wait blocks at most


@handles("compute.zoneOperations.get", "compute.zoneOperations.get")
@handles("compute.regionOperations.get", "compute.regionOperations.get")
def get_operation(cloud, call):
    return _shown(cloud, _operation(cloud, call))


@handles("compute.zoneOperations.wait", "compute.zoneOperations.get")
@handles("compute.regionOperations.wait", "compute.regionOperations.get")
def wait(cloud, call):
    operation = _operation(cloud, call)
    if operation.finished is None:
        raise Again(WAIT, _shown(cloud, operation))
    return _shown(cloud, operation)


def _operation(cloud, call):
    place = "zones" if "zone" in call.params else "regions"
    where = f"{place}/{call.params[place[:-1]]}"
    operation = cloud.operations.all.get(call.params["operation"])
    if not operation or operation.about.get("place") != where:
        raise not_found(call, f"{where}/operations/{call.params['operation']}")
    return operation


def start(cloud, call, place, target, finish, kind="delete"):
    name = f"operation-{int(cloud.clock.now() * 1000)}-{cloud.random_bits(48):012x}"
    operation = cloud.operations.start(
        kind, finish, name=name, service="compute", place=place, target=target,
        fault=call.fault if call.fault == "operation_error" else None)
    return _shown(cloud, operation)


def _shown(cloud, operation):
    link, place = LINK + cloud.options.project, operation.about["place"]
    status = operation.status(cloud.clock.now())
    shown = {"kind": "compute#operation", "name": operation.name, "status": status,
             "operationType": operation.kind, "progress": 100 if status == "DONE" else 0,
             "targetLink": f"{link}/{operation.about['target']}",
             "selfLink": f"{link}/{place}/operations/{operation.name}",
             place.partition("/")[0][:-1]: f"{link}/{place}",
             "insertTime": cloud.clock.text(operation.start)}
    if operation.error:
        shown.update(error={"errors": [{"code": "INTERNAL_ERROR",
                                        "message": operation.error.message}]},
                     httpErrorStatusCode=503, httpErrorMessage="SERVICE UNAVAILABLE")
    return shown

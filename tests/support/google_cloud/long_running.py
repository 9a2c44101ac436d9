"""Operations in the form of google.longrunning."""

from .errors import CODES, GoogleError


def start(cloud, call, kind, finish, prefix, response, metadata=None, **about):
    """Starts an operation and returns its first view.

    @param prefix    of its name
    @param response  returns the result once it is done
    """
    name = f"{prefix}{cloud.random_bits():032x}"
    operation = cloud.operations.start(
        kind, finish, name=name, service=call.service, response=response, metadata=metadata,
        fault=call.fault if call.fault == "operation_error" else None, **about)
    return shown(operation)


def get(cloud, call):
    operation = cloud.operations.all.get(call.name)
    if not operation or operation.about.get("service") != call.service:
        raise GoogleError(404, "Requested entity was not found.")
    return shown(operation)


def shown(operation):
    view = {"name": operation.name}
    if operation.about["metadata"]:
        view["metadata"] = operation.about["metadata"]
    if operation.finished is None:
        return view
    view["done"] = True
    if operation.error:
        view["error"] = {"code": CODES[operation.error.status],
                         "message": operation.error.message}
    else:
        view["response"] = operation.about["response"]()
    return view

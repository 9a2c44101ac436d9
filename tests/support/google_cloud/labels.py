"""Rules for labels of resources, which are stricter than those of Kubernetes."""

import re

from .errors import GoogleError

KEY, VALUE = re.compile(r"[a-z][-_a-z0-9]{0,62}"), re.compile(r"[-_a-z0-9]{0,63}")


def check(labels):
    if len(labels) > 64:
        raise GoogleError(400, "A resource can have at most 64 labels.")
    for key, value in labels.items():
        if not KEY.fullmatch(key):
            raise GoogleError(400, f"Invalid label key '{key}': must match {KEY.pattern}")
        if value is not None and not VALUE.fullmatch(value):
            raise GoogleError(400, f"Invalid label value '{value}': must match {VALUE.pattern}")

"""Encodes and decodes times and durations: docs/reference/values.md, `$datetime` and `$timedelta`."""

from _kinetic_imports import datetime
from _kinetic_refusals import NotSerializable, advice


def encode_time(encoder, value, path, depth):
    zone = getattr(value, "tzinfo", None)
    text = value.isoformat()
    offset = zone is not None and value.utcoffset()
    if value != value or (value.fold and offset is False) or offset is None:
        why = "is no time" if value != value else "has a fold or a time zone without an offset, which would be lost"
        raise NotSerializable(path, value, why + advice(value))
    name = getattr(zone, "key", None) or getattr(zone, "zone", None)  # of zoneinfo and pytz
    if isinstance(name, str):
        text += "[%s]" % name
    return {"$datetime" if isinstance(value, datetime.datetime) else "$time": encoder.encode_text(text, path)}


def encode_timedelta(encoder, value, path, depth):
    if value != value:
        raise NotSerializable(path, value, "is no duration" + advice(value))
    nanoseconds = getattr(value, "nanoseconds", 0)  # of pandas
    more = [nanoseconds] if nanoseconds else []
    return {"$timedelta": [value.days, value.seconds, value.microseconds, *more]}


def decode_time(kind, content):
    """Returns a datetime or time, such as 2026-01-02T03:04:05+01:00[Europe/Berlin] (RFC 9557)."""
    text, _, name = content.partition("[")
    digits = text.partition(".")[2].partition("+")[0].partition("-")[0].rstrip("Z")
    if digits[6:].strip("0"):
        raise ValueError("%s has nanoseconds, which a %s cannot hold" % (content, kind.__name__))
    value = kind.fromisoformat(text)
    if not name:
        return value
    import zoneinfo

    zone = zoneinfo.ZoneInfo(name.rstrip("]"))
    for fold in (0, 1):
        local = value.replace(tzinfo=zone, fold=fold)
        if local.utcoffset() == value.utcoffset():
            return local
    raise ValueError("%s has an offset that its time zone never has" % content)


def decode_timedelta(days, seconds, microseconds, nanoseconds=0):
    if nanoseconds:
        raise ValueError("a timedelta cannot hold nanoseconds")
    return datetime.timedelta(days, seconds, microseconds)

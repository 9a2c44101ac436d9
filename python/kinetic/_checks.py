"""Checks of numbers and names that users pass to handles."""

from __future__ import annotations

import math

TYPE_CHECKING = False  # typing takes longer to import than this package
if TYPE_CHECKING:
    from typing import Any


def timeout_seconds(timeout: Any) -> float | None:
    """Returns a timeout as a float; None: no limit.

    Raises
    ------
    TypeError
        It is no number, such as ``"5s"``.
    ValueError
        It is not a number (NaN).
    """
    if timeout is None:
        return None
    if isinstance(timeout, (str, bytes, bool)) or not hasattr(timeout, "__float__"):
        raise TypeError(f"timeout is {timeout!r}, expected a number of seconds or None")
    seconds = float(timeout)
    if math.isnan(seconds):
        raise ValueError("timeout is NaN, expected a number of seconds or None")
    return seconds


def whole_number(name: str, value: Any, least: int, most: int = 2**32 - 1) -> int:
    """Returns an integer within limits, otherwise raises a TypeError or ValueError that names the parameter."""
    if isinstance(value, bool) or not hasattr(value, "__index__"):
        raise TypeError(f"{name} is {value!r}, expected a whole number")
    number = int(value.__index__())
    if not least <= number <= most:
        raise ValueError(f"{name} is {number}, expected {least} to {most}")
    return number


def serializer(value: Any) -> str | None:
    """Returns a serializer, otherwise raises a ValueError."""
    if value not in (None, "pickle"):
        raise ValueError(f"serializer is {value!r}, expected 'pickle' or None")
    return "pickle" if value else None


def text(name: str, value: Any) -> str:
    """Returns a str, otherwise raises a TypeError that names the parameter."""
    if not isinstance(value, str):
        raise TypeError(f"{name} is {value!r}, expected a str")
    return value

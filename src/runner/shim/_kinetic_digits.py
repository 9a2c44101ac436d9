"""Converts integers to and from their digits, even above the interpreter's limit."""

import sys


def digits(value):
    """Returns all digits of an integer."""
    limit = getattr(sys, "get_int_max_str_digits", None)
    if limit is None:
        return str(value)
    before = limit()
    sys.set_int_max_str_digits(0)
    try:
        return str(value)
    finally:
        sys.set_int_max_str_digits(before)


def integer(text):
    limit = getattr(sys, "get_int_max_str_digits", None)
    if limit is None:
        return int(text)
    before = limit()
    sys.set_int_max_str_digits(0)
    try:
        return int(text)
    finally:
        sys.set_int_max_str_digits(before)

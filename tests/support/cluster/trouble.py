"""Errors that are reported without a traceback."""


class Trouble(Exception):
    """A fatal error. Its text is a sentence for the user."""


class NotHere(Trouble):
    """No cluster can run on this machine or for this user."""

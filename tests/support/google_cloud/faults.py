"""Faults of requests, and a hold that stops a request for a test."""

import dataclasses
import fnmatch
import random
import threading
import typing

KINDS = ("503", "429", "reset_before", "reset_after", "timeout", "quota", "stockout",
         "operation_error", "cidr_overlap")


@dataclasses.dataclass
class Rule:
    """@param method  glob of method ids
    @param nth     applies to this matching request only, counted from 1; None: to all
    """

    method: str
    kind: str
    nth: typing.Optional[int] = None
    seen: int = 0

    def __post_init__(self):
        if self.kind not in KINDS and not self.kind.startswith("permission:roles/"):
            raise ValueError(f"unknown kind of fault: {self.kind}")

    def applies(self, method):
        if not fnmatch.fnmatchcase(method, self.method):
            return False
        self.seen += 1
        return self.nth in (None, self.seen)


class Faults:
    def __init__(self, seed):
        self._random = random.Random(seed)
        self.rules, self.probability, self.kinds = [], 0.0, []

    def set(self, rules=(), probability=0.0, kinds=(), seed=None):
        """Replaces all rules and the random mode."""
        if unknown := set(kinds) - set(KINDS):
            raise ValueError(f"unknown kinds of fault: {', '.join(sorted(unknown))}")
        self.rules = [Rule(**rule) for rule in rules]
        self.probability, self.kinds = probability, list(kinds)
        if seed is not None:
            self._random = random.Random(seed)

    def of(self, method):
        """Returns the kind of fault of the next request of a method, or None."""
        found = [rule.kind for rule in self.rules if rule.applies(method)]  # counts in each rule
        if found:
            return found[0]
        if self.kinds and self._random.random() < self.probability:
            return self._random.choice(self.kinds)
        return None


class Hold:
    """Stops one request before or after it is applied."""

    def __init__(self):
        self._changed = threading.Condition()
        self._at, self._phase, self._entry, self._apply = None, None, None, None
        self._last = None  # number of the last request that was held
        self._stopped = False

    def set(self, at, phase="before"):
        if phase not in ("before", "after"):
            raise ValueError(f"unknown phase: {phase}")
        with self._changed:
            self._at, self._phase, self._entry, self._apply = at, phase, None, None

    def wait(self, number, phase, entry):
        """Blocks if this request is to be held. Returns what release() was given."""
        with self._changed:
            if (number, phase) != (self._at, self._phase) or self._stopped:
                return None
            self._entry, self._last = entry, number
            self._changed.notify_all()
            self._changed.wait_for(lambda: self._at != number or self._stopped)
            return self._apply

    def was_held(self, number):
        """Returns whether the last request that was held is this one."""
        with self._changed:
            return self._last == number

    def held(self, timeout):
        """Blocks until the request is held. Returns its log entry, or None."""
        with self._changed:
            self._changed.wait_for(lambda: self._entry is not None or self._stopped, timeout)
            return self._entry

    def release(self, apply=None):
        """@param apply  whether a request that is held before is applied; None: if its client is
        still connected"""
        with self._changed:
            self._at, self._entry, self._apply = None, None, apply
            self._changed.notify_all()

    def stop(self):
        with self._changed:
            self._stopped = True
            self._changed.notify_all()

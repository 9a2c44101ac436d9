"""Metrics: rows of numbers that a job writes to its standard output, each as a line of JSON."""

from __future__ import annotations

import json
import math
import os
import sys
from typing import Any

_PREFIX = '{"kinetic.metrics":'
_MOST = 64
_MOST_NAME_BYTES = 128
_MOST_COLUMNS = 16
_WORDS = ("NaN", "Infinity", "-Infinity")


def log(**numbers: Any) -> None:
    """Logs a row of metrics of the job that this program is, such as ``kinetic.log(step=1, loss=2.07)``.

    The row is a line of JSON on the standard output. Outside of a job, it is printed as well.

    Parameters
    ----------
    **numbers : number
        Numbers of Python, and scalars and arrays with one item of NumPy, JAX, and others. At most 64, with
        names of at most 128 bytes.

    Raises
    ------
    TypeError
        One of them is not a number.
    ValueError
        There are too many numbers, or a name is empty or too long.
    """
    if not numbers:
        raise TypeError("kinetic.log() needs at least one number, such as loss=2.07")
    if len(numbers) > _MOST:
        raise ValueError(f"kinetic.log() takes at most {_MOST} numbers, not {len(numbers)}")
    for name in numbers:
        if not _is_name(name):
            raise ValueError(f"kinetic.log() takes names of 1 to {_MOST_NAME_BYTES} bytes of UTF-8, not {name!r:.200}")
    line = json.dumps({"kinetic.metrics": {name: _number(name, number) for name, number in numbers.items()}}) + "\n"
    if sys.stdout is not None:
        sys.stdout.flush()
    if "KINETIC_JOB_ID" not in os.environ:
        if sys.stdout is not None:
            sys.stdout.write(line)
            sys.stdout.flush()
        return
    left = line.encode("ascii")
    while left:  # one write, so that lines of several threads and processes are not mixed
        try:
            left = left[os.write(1, left):]
        except BlockingIOError:  # a full pipe that does not block
            import select

            select.select([], [1], [])


def _is_name(name: str) -> bool:
    try:
        return 0 < len(name.encode()) <= _MOST_NAME_BYTES
    except UnicodeEncodeError:
        return False


def _number(name: str, number: Any) -> float:
    if isinstance(number, int):
        if abs(number) <= sys.float_info.max:
            return int(number)
        return math.inf if number > 0 else -math.inf
    try:
        if isinstance(number, (str, bytes, bytearray)):
            raise TypeError("a text")
        return float(number)
    except (TypeError, ValueError, OverflowError) as error:
        raise TypeError(f"kinetic.log(): {name} is of type {type(number).__name__}, but must be a number or an array "
                        "with one item") from error


def parse(line: str) -> dict[str, float] | None:
    """Returns the numbers of a line of the log, or None if it is another line."""
    if not line.startswith(_PREFIX):
        return None
    try:
        document = json.loads(line, parse_int=_whole)
    except (ValueError, RecursionError):
        return None
    numbers = document["kinetic.metrics"]
    if len(document) != 1 or not isinstance(numbers, dict) or not 0 < len(numbers) <= _MOST:
        return None
    if not all(map(_is_name, numbers)):
        return None
    row = {name: float(number) if number in _WORDS else number for name, number in numbers.items()}
    return row if all(type(number) in (int, float) for number in row.values()) else None


def _whole(digits: str) -> float:
    number = float(digits)  # infinite if it is too large
    return int(digits) if math.isfinite(number) else number


class _Series:
    """The course of a number, in at most 16 columns: each is the mean of equally many numbers."""

    def __init__(self) -> None:
        self.last = 0.0
        self._columns: list[tuple[float, int]] = []
        self._per_column = 1

    def add(self, number: float) -> None:
        self.last = number
        if not math.isfinite(number):
            return
        columns = self._columns
        if not columns or columns[-1][1] == self._per_column:
            if len(columns) == _MOST_COLUMNS:
                columns[:] = [(a + c, b + d) for (a, b), (c, d) in zip(columns[::2], columns[1::2])]
                self._per_column *= 2
            columns.append((0.0, 0))
        columns[-1] = (columns[-1][0] + number, columns[-1][1] + 1)

    def sparkline(self) -> str:
        """Returns a character for each column, or nothing if there are fewer than two."""
        if len(self._columns) < 2:
            return ""
        means = [total / count for total, count in self._columns]
        least, most = min(means), max(means)
        size = most - least
        return "".join("▁▂▃▄▅▆▇█"[round(7 * (mean - least) / size) if 0 < size < math.inf else 0] for mean in means)


class MetricsLine:
    """The last numbers of a job in one line: ``step 20  loss 1.38 █▅▂▁``."""

    def __init__(self) -> None:
        self._series: dict[str, _Series] = {}

    def add(self, row: dict[str, float]) -> None:
        """Adds a row."""
        for name, number in row.items():
            if name in self._series or len(self._series) < _MOST:
                self._series.setdefault(name, _Series()).add(number)

    def text(self, width: int, sparklines: bool) -> str:
        """Returns the names and numbers that fit. Steps come first, then losses, then the others."""
        text = ""
        for name in sorted(self._series, key=_rank):
            series = self._series[name]
            shown = "".join(character if character.isprintable() else " " for character in name)
            piece = f"{'  ' if text else ''}{shown} {number_text(series.last)}"
            if len(text) + len(piece) > width:
                continue
            text += piece
            line = series.sparkline() if sparklines and _rank(name) else ""
            if line and len(text) + 1 + len(line) <= width:
                text += " " + line
        return text


def _rank(name: str) -> int:
    if name.endswith(("step", "epoch")):
        return 0
    return 1 if name.endswith("loss") else 2


def number_text(number: float) -> str:
    """Returns a number with four significant digits, or a whole number with all of them."""
    return f"{number:.0f}" if abs(number) < 1e15 and number == int(number) else f"{number:.4g}"

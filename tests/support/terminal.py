"""A terminal of a fixed size: the screen that a program draws, and a pseudo-terminal to run it in."""

import dataclasses
import fcntl
import os
import pty
import re
import select
import signal
import struct
import termios
import time

SEQUENCE = re.compile(r"\x1b\[([0-9;?]*)([A-Za-z])")
COLORS = {31: "red", 32: "green", 33: "yellow", 34: "blue", 35: "magenta", 36: "cyan"}


@dataclasses.dataclass(frozen=True)
class Style:
    """Style of one character."""

    color: str = ""
    bold: bool = False
    dim: bool = False


class Screen:
    """Interprets the output of kinetic and plain programs: text, CR, LF, tabs, colors, cursor movement and clearing.

    `lines` has every line since the start, each a list of (character, Style), including those scrolled out.
    """

    def __init__(self, columns, rows):
        self.columns, self.rows = columns, rows
        self.lines = [[]]
        self._row = self._column = 0
        self._style = Style()
        self._pending = ""

    def feed(self, text):
        text = self._pending + text
        at = 0
        while at < len(text):
            if text[at] != "\x1b":
                self._character(text[at])
                at += 1
                continue
            found = SEQUENCE.match(text, at)
            if found is None:
                if len(text) - at < 16:
                    break  # the rest of the sequence has not arrived
                raise ValueError(f"unknown escape sequence: {text[at:at + 16]!r}")
            self._sequence(found[1], found[2])
            at = found.end()
        self._pending = text[at:]

    def text(self):
        """Returns the lines without style and trailing spaces."""
        return ["".join(character for character, _ in line).rstrip() for line in self.lines]

    def _character(self, character):
        if character == "\n":
            self._row += 1
        elif character == "\r":
            self._column = 0
        elif character == "\b":
            self._column = max(0, self._column - 1)
        elif character == "\t":
            self._column += 8 - self._column % 8
        elif character >= " ":
            if self._column == self.columns:
                self._row, self._column = self._row + 1, 0
            line = self._line()
            line.extend([(" ", Style())] * (self._column + 1 - len(line)))
            line[self._column] = (character, self._style)
            self._column += 1
        self._line()

    def _line(self):
        while len(self.lines) <= self._row:
            self.lines.append([])
        return self.lines[self._row]

    def _sequence(self, numbers, kind):
        values = [int(number) for number in numbers.split(";") if number.isdigit()]
        if kind == "m":
            self._set_style(values or [0])
        elif kind == "A":
            self._row = max(0, len(self.lines) - self.rows, self._row - (values or [1])[0])
        elif kind == "J":
            del self.lines[self._row + 1:]
            del self._line()[self._column:]
        elif kind == "K":
            del self._line()[self._column:]
        elif not numbers.startswith("?"):
            raise ValueError(f"unknown escape sequence: ESC [ {numbers} {kind}")

    def _set_style(self, values):
        for value in values:
            if value == 0:
                self._style = Style()
            elif value == 1:
                self._style = dataclasses.replace(self._style, bold=True)
            elif value == 2:
                self._style = dataclasses.replace(self._style, dim=True)
            elif value in COLORS:
                self._style = dataclasses.replace(self._style, color=COLORS[value])


class Terminal:
    """A program in a pseudo-terminal."""

    def __init__(self, words, environment, folder, columns=100, rows=40, echo=True):
        self.output = ""  # not yet taken by read_until
        self._undecoded = b""
        self.pid, self._file = pty.fork()
        if self.pid == 0:
            os.chdir(folder)
            os.execvpe(words[0], list(map(str, words)), environment)
        fcntl.ioctl(self._file, termios.TIOCSWINSZ, struct.pack("HHHH", rows, columns, 0, 0))
        if not echo:
            attributes = termios.tcgetattr(self._file)
            attributes[3] &= ~termios.ECHO
            termios.tcsetattr(self._file, termios.TCSANOW, attributes)

    def write(self, text):
        os.write(self._file, text.encode())

    def read(self, seconds):
        """Adds what arrives within `seconds` to `output`. Returns False at the end of the program's output."""
        if not select.select([self._file], [], [], seconds)[0]:
            return True
        try:
            piece = os.read(self._file, 65536)
        except OSError:  # every process has closed the terminal
            return False
        data = self._undecoded + piece
        complete = data.decode(errors="ignore")
        self._undecoded = data[len(complete.encode()):] if len(data) - len(complete.encode()) < 4 else b""
        self.output += complete
        return bool(piece)

    def read_until(self, pattern, seconds):
        """Returns the output before the pattern, and the match. Removes both from `output`."""
        deadline = time.monotonic() + seconds
        while (found := re.search(pattern, self.output)) is None:
            if time.monotonic() > deadline or not self.read(0.1):
                raise TimeoutError(f"no {pattern!r} within {seconds} s in: {self.output[-2000:]!r}")
        before, self.output = self.output[:found.start()], self.output[found.end():]
        return before, found

    def close(self):
        """Terminates the program. Returns its exit code, or the negative number of its signal."""
        os.close(self._file)
        deadline = time.monotonic() + 5
        while (done := os.waitpid(self.pid, os.WNOHANG))[0] == 0:
            if time.monotonic() > deadline:
                os.kill(self.pid, signal.SIGKILL)
            time.sleep(0.01)
        return os.waitstatus_to_exitcode(done[1])

"""Encodes exceptions: docs/reference/values.md, "Exceptions"."""

import importlib
import os
import sys

from _kinetic_imports import linecache, tokenize

MAX_MESSAGE = 64 * 1024
MAX_FRAMES = 200
MAX_CHAIN = 20
MAX_LINE = 1000
MAX_GROUP = 20
MAX_EXCEPTIONS = 200


def cut(text, limit):
    text = text.encode("utf-8", "backslashreplace").decode("utf-8")
    if len(text) <= limit:
        return text
    return text[:limit] + "… (%d more characters)" % (len(text) - limit)


def one_line(text):
    """Returns the lines of a text, such as the repr() of a table, as one line."""
    return " ".join(line.strip() for line in text.splitlines() if line.strip())


def type_name(kind):
    module = getattr(kind, "__module__", None)
    name = getattr(kind, "__qualname__", None) or str(kind)
    if module in (None, "builtins", "__main__"):
        return name
    return "%s.%s" % (module, name)


def safe_text(convert, value, what):
    """Returns str() or repr() of a value whose methods may fail."""
    try:
        return convert(value)
    except BaseException as error:  # an error of __str__ must not replace the job's error
        return "<%s of %s failed: %s>" % (what, type_name(type(value)), type_name(type(error)))


def message_of(error):
    """Returns the message and the notes."""
    text = str if not isinstance(error, SyntaxError) else lambda e: str(e.msg)
    lines = [cut(safe_text(text, error, "message"), MAX_MESSAGE)]
    notes = getattr(error, "__notes__", None)
    for note in notes[:MAX_GROUP] if isinstance(notes, (list, tuple)) else ():
        lines.append(cut(safe_text(str, note, "note"), MAX_MESSAGE))
    return "\n".join(lines)


def _read_lines(filename):
    try:
        with tokenize.open(filename) as file:
            return file.readlines()
    except (OSError, SyntaxError, ValueError):  # no file, or no text
        return []


def as_lines(described):
    """Returns the lines that Python prints for an exception."""
    lines = []
    if "cause" in described:
        relation = {"cause": "The above exception was the direct cause of the following exception:",
                    "context": "During handling of the above exception, another exception occurred:"}
        lines = [*as_lines(described["cause"]), "", relation[described["relation"]], ""]
    if described["traceback"]:
        lines.append("Traceback (most recent call last):")
    for frame in described["traceback"]:
        place = '  File "%(file)s", line %(line)d' if frame["line"] else "  [%(function)s]"
        lines.append((place + (", in %(function)s" if frame["line"] and frame["function"] else "")) % frame)
        if frame["code"]:
            lines.append("    " + frame["code"])
    message = described["message"]
    return lines + (described["type"] + (": " if message else "") + message).split("\n")


class Describer:
    """Encodes exceptions without the shim's frames, with paths relative to the bundle."""

    def __init__(self, root, shim):
        self._root = os.path.join(os.path.realpath(root), "")
        self._shim = os.path.join(os.path.realpath(shim), "")
        self._lines = {}

    def add_sources(self, sources):
        """Adds the source of files that this machine does not have, by their names."""
        self._lines.update((name, text.splitlines()) for name, text in sources.items())

    def describe(self, error):
        """Returns the exception, also if its attributes cannot be read."""
        self._left = MAX_EXCEPTIONS
        try:
            return self._describe(error, set())
        except BaseException as failure:
            message = "<describing it failed: %s>" % type(failure).__name__
            return {"type": type(error).__name__, "message": message, "traceback": [], "relation": ""}

    def without_our_frames(self, trace):
        """Returns the traceback from the function on."""
        while trace is not None and self._is_ours(trace.tb_frame.f_code.co_filename):
            trace = trace.tb_next
        return trace

    def _describe(self, error, seen):
        seen.add(id(error))
        self._left -= 1
        described = {
            "type": type_name(type(error)),
            "message": cut(message_of(error) + self._members(error, seen), MAX_MESSAGE),
            "traceback": self._frames(error),
            "relation": "",
        }
        relation, cause = self._cause(error)
        if cause is not None and id(cause) not in seen and len(seen) < MAX_CHAIN:
            described["relation"] = relation
            described["cause"] = self._describe(cause, seen)
        return described

    def _members(self, error, seen):
        """Returns the members of an exception group, as Python prints them: the lines after the message."""
        group = getattr(sys.modules["builtins"], "BaseExceptionGroup", None)
        if group is None or not isinstance(error, group):
            return ""
        lines = [""]
        for number, member in enumerate(error.exceptions, 1):
            if number > MAX_GROUP or self._left <= 0 or len(seen) >= MAX_CHAIN:
                lines.append("+---------------- and %d more" % (len(error.exceptions) - number + 1))
                break
            lines.append("+---------------- %d ----------------" % number)
            lines += ["| " + line for line in as_lines(self._describe(member, set(seen)))]
        return "\n".join([*lines, "+" + "-" * 36])

    @staticmethod
    def _cause(error):
        if error.__cause__ is not None:
            return "cause", error.__cause__
        if error.__context__ is not None and not error.__suppress_context__:
            return "context", error.__context__
        return "", None

    def _frames(self, error):
        frames = []
        trace = error.__traceback__
        while trace is not None:
            code = trace.tb_frame.f_code
            if not self._is_ours(code.co_filename):
                frames.append(self._frame(code, trace.tb_lineno))
            trace = trace.tb_next
        if isinstance(error, SyntaxError) and error.filename and error.lineno:
            frames.append(
                {
                    "file": self.display_path(error.filename),
                    "line": error.lineno,
                    "function": "",
                    "code": cut((error.text or "").strip(), MAX_LINE),
                }
            )
        if len(frames) > MAX_FRAMES:
            half = MAX_FRAMES // 2
            left_out = len(frames) - 2 * half
            gap = {"file": "…", "line": 0, "function": "%d frames omitted" % left_out, "code": ""}
            frames = frames[:half] + [gap] + frames[-half:]
        return frames

    def _is_ours(self, filename):
        if filename.startswith("<frozen importlib") or filename == importlib.__file__:
            return True
        return os.path.realpath(filename).startswith(self._shim)

    def _frame(self, code, line):
        text = self._source_line(code.co_filename, line or 0).strip()
        name = getattr(code, "co_qualname", code.co_name)
        return {
            "file": self.display_path(code.co_filename),
            "line": line or 0,
            "function": cut(name, MAX_LINE),
            "code": cut(text, MAX_LINE),
        }

    def _source_line(self, filename, line):
        """Returns what linecache.getline() does, which may import a module of the bundle."""
        generated = linecache.cache.get(filename)  # a library may register source without a file
        if generated is not None and len(generated) > 1:
            lines = generated[2]
        else:
            lines = self._lines.get(filename)
            if lines is None:
                lines = self._lines[filename] = _read_lines(filename)
        return lines[line - 1] if 0 < line <= len(lines) else ""

    def display_path(self, filename):
        """Returns the path within the bundle, or the complete path of another file."""
        real = os.path.realpath(filename) if not filename.startswith("<") else filename
        if real.startswith(self._root):
            real = real[len(self._root) :]
        return cut(real, MAX_LINE)

"""Words of the library about the command line and the job file, in terms of keywords of `kinetic.run`."""

from __future__ import annotations

import re

# The keywords for options of `kinetic run`.
_KEYWORDS = {"accelerator": "accelerator", "target": "target", "python": "python", "root": "bundle",
             "workdir": "bundle", "dependencies": "dependencies", "image": "image", "name": "name"}
# The same for those whose value is a part of the keyword's.
_PARTS = {"memory": 'resources={"memory": …}', "cpu": 'resources={"cpu": …}', "timeout": 'timeouts={"run": …}'}
# Options that are only settings in Python.
_SETTINGS = ("store", "state-dir", "cache-dir", "owner", "runner", "credentials", "quota-project", "user-project")
# Commands are the same in Python, and are left as they are.
_PIECE = re.compile(r"(?P<run>kinetic run(?= --))|(?P<command>'kinetic [^']*'|: kinetic (?!run )[^;]*)"
                    r"|(?<![\w/])--(?P<option>[a-z][a-z-]*)(?:[ =](?P<value>\"[^\"]*\"|[A-Z]+\b|[\w-]+(?=[,;)]|$)))?"
                    r"|['`](?P<key>[a-z_]+):(?: (?P<content>[^'`]+))?['`](?P<place> (?:in|from|of) the job file)?")


def in_python(text: str) -> str:
    """Returns a message or hint of the library in words of Python.

    >>> in_python("to try the job here, pass --accelerator cpu")
    'to try the job here, pass accelerator="cpu"'
    """
    text = _PIECE.sub(_replaced, text)
    for words, other in (("LoadProfile: no profile", "no target or profile"),
                         ("to a file under 'data', and pass its path: {$path: FILE}",
                          "to a file, and pass kinetic.Data with its path"),
                         ("the job file's '", "the keyword '"), ("the job file", "kinetic.run"),
                         ("bundle.root", "`bundle`")):
        text = text.replace(words, other)
    text = re.sub(r"\{\$path: [^}]*\}", "kinetic.Data(…)", text)
    return re.sub(r"(\w+=\{[^}]*\}|\w+=\S{1,80}|`\w{1,40}`|[A-Z_]{1,60}) or \1(?!\w)", r"\1", text)  # an option and a key with the same meaning


def _replaced(found: re.Match[str]) -> str:
    if found["command"]:
        return found[0]
    if found["run"]:
        return "kinetic.run with"
    if found["key"]:
        return _key(found["key"], found["content"], found["place"])
    option, value = found["option"], found["value"]
    if option in _PARTS:
        return _PARTS[option]
    if option in _SETTINGS:
        return "KINETIC_" + option.upper().replace("-", "_")
    if option not in _KEYWORDS:
        return found[0]
    keyword = _KEYWORDS[option]
    return f'{keyword}="{value}"'.replace('""', '"') if value else f"`{keyword}`"


def _key(name: str, content: str | None, place: str | None) -> str:
    if content is None:
        return f"`{name}`"
    content = {"true": "True", "false": "False"}.get(content, content)
    inner = re.fullmatch(r"\{(\w+): (.*)\}", content)
    return f'{name}={{"{inner[1]}": {inner[2]}}}' if inner else f"{name}={content}"

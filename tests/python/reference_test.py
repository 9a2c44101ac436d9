"""docs/reference/python.md contains the docstrings of the package. With KINETIC_UPDATE_GOLDEN set, writes the page.

    reference_test.py PACKAGE PAGE
"""

import enum
import inspect
import os
import pathlib
import re
import sys
import textwrap
import unittest

PACKAGE, PAGE = sys.argv.pop(1), pathlib.Path(sys.argv.pop(1))
sys.path.insert(0, PACKAGE)

import kinetic  # noqa: E402

COLUMNS = 100
INTRODUCTION = """<!-- generated from the docstrings of python/kinetic by tests/python/reference_test.py -->

# Python package

All names of the module `kinetic`. [Python in ten minutes](../guide/python.md) is the introduction.
"The Python tool" is keras-kinetic, whose names [From keras-kinetic](../guide/from-keras-kinetic.md)
lists.
"""
SECTION = re.compile(r"^(\w+)\n-+\n", re.MULTILINE)


def with_code(text):
    return re.sub(r"``(.+?)``", r"`\1`", text)


def paragraphs(text):
    """Returns text of a docstring as Markdown."""
    text = with_code(text.strip())
    return "\n\n".join(textwrap.fill(" ".join(part.split()), COLUMNS, break_on_hyphens=False, break_long_words=False)
                       for part in text.split("\n\n"))


def entries(text):
    """Returns the entries of a section, such as parameters, as a list."""
    lines = []
    for head, body in re.findall(r"^(\S.*)\n((?:    .*\n?|\n)*)", text.strip("\n") + "\n", re.MULTILINE):
        name, _, kind = head.partition(" : ")
        names = ", ".join(f"`{each.strip()}`" for each in name.split(","))
        kind = f" ({with_code(kind)})" if kind else ""
        meaning = " ".join(with_code(body).split())
        lines.append(f"- {names}{kind}: {meaning}" if meaning else f"- {names}{kind}")
    return "\n".join(lines)


def documentation(thing):
    """Returns the docstring as Markdown."""
    text = inspect.getdoc(thing)
    assert text, f"{thing} has no docstring"
    first, *sections = SECTION.split(text)
    parts = [paragraphs(first)]
    for title, body in zip(sections[::2], sections[1::2]):
        parts.append(f"**{title}**\n\n{paragraphs(body) if title == 'Notes' else entries(textwrap.dedent(body))}")
    return "\n\n".join(parts)


def signature(name, function, is_method=False):
    parameters = list(inspect.signature(function).parameters.values())[1 if is_method else 0:]
    plain = [parameter.replace(annotation=parameter.empty) for parameter in parameters]
    return f"{name}{inspect.Signature(plain)}"


def code(text):
    return f"```python\n{text}\n```"


def members(kind):
    """Yields the public methods and properties that a class adds to its base, with their names."""
    for name, member in vars(kind).items():
        if not name.startswith("_") and (inspect.isfunction(member) or isinstance(member, property)):
            yield name, member


def describe(name, thing):
    """Returns the section of a public name."""
    if inspect.isfunction(thing):
        return f"## {name}\n\n{code('kinetic.' + signature(name, thing))}\n\n{documentation(thing)}"
    bases = [base.__name__ for base in thing.__bases__ if base.__module__ in ("kinetic", "builtins") and base is not object]
    parts = [f"## {name}", code(f"class kinetic.{name}" + (f"({', '.join(bases)})" if bases else "")),
             documentation(thing)]
    if issubclass(thing, enum.Enum):
        parts.append("Members: " + ", ".join(f"`{member.name}`" for member in thing) + ".")
        parts[-1] = textwrap.fill(parts[-1], COLUMNS)
    for member_name, member in members(thing):
        is_property = isinstance(member, property)
        head = member_name if is_property else signature(member_name, member, True)
        parts.append(f"### {name}.{member_name}\n\n{code(head)}\n\n{documentation(member)}")
    return "\n\n".join(parts)


def page():
    order = ["run", "RemoteFunction", "map", "Job", "JobStatus", "Batch", "attach", "list_jobs", "Data", "Error"]
    names = order + [name for name in kinetic.__all__ if name not in order]
    sections = [describe(name, getattr(kinetic, name)) for name in names]
    return "\n".join([INTRODUCTION, "\n\n".join(sections)]) + "\n"


class Reference(unittest.TestCase):
    def test_page_is_current(self):
        expected = page()
        if "KINETIC_UPDATE_GOLDEN" in os.environ:
            PAGE.write_text(expected)
        self.assertEqual(PAGE.read_text(), expected, f"write {PAGE} with KINETIC_UPDATE_GOLDEN=1")

    def test_every_keyword_of_run_is_described(self):
        keywords = re.findall(r"^    (\w+):", (pathlib.Path(PACKAGE) / "kinetic/_keywords.pyi").read_text(), re.MULTILINE)
        text = page().partition("## RemoteFunction")[0]
        self.assertEqual([keyword for keyword in keywords if f"`{keyword}`" not in text], [])


if __name__ == "__main__":
    unittest.main()

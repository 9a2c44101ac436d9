#!/usr/bin/env python3
"""Checks the documentation of a checkout: dead links, Markdown prose wider than 100 columns, and untested C++.

    documentation.py ROOT

Links to files, folders and headings of the checkout must have a target, and so must every path such as docs/adr/….md in
a source or script. The width is not checked for tables, headings, code, comments, list items that begin with code, and
single words that are too long. The C++ of README.md must also be a file of docs/guide/cpp.md, whose test runs it, and
have at most 20 lines.
"""

import pathlib
import re
import subprocess
import sys

COLUMNS = 100
EXAMPLE_LINES = 20
LINK = re.compile(r"!?\[[^\]]*\]\(([^)\s]+)(?: \"[^\"]*\")?\)")
MENTION = re.compile(r"\bdocs/(?:guide|reference|adr)/[\w/.-]+\.md\b")
NOT_PROSE = ("|", "<!--", "#", "- `")


def tracked(root):
    listed = subprocess.run(["git", "-C", root, "ls-files", "-z", "--cached", "--others", "--exclude-standard"],
                            capture_output=True, check=True)
    return [root / name for name in listed.stdout.decode().split("\0") if name and (root / name).is_file()]


def without_code(text):
    """Returns the text with empty lines in place of fenced blocks, so that line numbers stay the same."""
    return re.sub(r"^( *)(```|~~~).*?^\1\2 *$", lambda found: "\n" * found[0].count("\n"), text, flags=re.M | re.S)


def anchors(text):
    """Returns the anchors that GitHub generates for a page's headings."""
    found = {}
    for heading in re.findall(r"^#+ +(.+?) *$", without_code(text), flags=re.M):
        plain = re.sub(r"\[([^\]]*)\]\([^)]*\)", r"\1", heading).lower()
        name = re.sub(r"[^\w\- ]", "", plain).replace(" ", "-")
        found[name] = found.get(name, -1) + 1
    return {name if count == 0 else f"{name}-{count}" for name, last in found.items() for count in range(last + 1)}


def dead_links(page, text):
    text = re.sub(r"`[^`\n]*`", "``", without_code(text))
    for found in LINK.finditer(text):
        target, _, anchor = found[1].partition("#")
        if re.match(r"[a-z]+:", target):
            continue
        number = text[:found.start()].count("\n") + 1
        destination = page if not target else (page.parent / target).resolve()
        if not destination.exists():
            yield number, f"dead link: {found[1]}"
        elif anchor and destination.suffix == ".md" and anchor not in anchors(destination.read_text()):
            yield number, f"no such heading: {found[1]}"


def too_wide(text):
    for number, line in enumerate(without_code(text).split("\n"), 1):
        one_word = " " not in line[:COLUMNS].lstrip(" -*0123456789.")
        indented_code = line.startswith("    ") and not line.lstrip().startswith(("-", "*"))
        if len(line) > COLUMNS and not line.lstrip().startswith(NOT_PROSE) and not one_word and not indented_code:
            yield number, f"{len(line)} columns"


def untested_code(text, guide):
    """Yields the C++ blocks of README.md that are no file of the guide, or too long."""
    for found in re.finditer(r"^```cpp\n(.*?)^```$", text, flags=re.M | re.S):
        number = text[:found.start()].count("\n") + 1
        if not re.search(r'^```cpp title="[^"]+"\n' + re.escape(found[1]) + "```$", guide, flags=re.M):
            yield number, "no file of docs/guide/cpp.md equals this block"
        if found[1].count("\n") > EXAMPLE_LINES:
            yield number, f"more than {EXAMPLE_LINES} lines"


def problems(root):
    for path in tracked(root):
        try:
            text = path.read_text()
        except UnicodeDecodeError:
            continue
        found = []
        if path.suffix == ".md":
            found = [*dead_links(path, text), *too_wide(text)]
            if path == root / "README.md":
                guide = root / "docs/guide/cpp.md"
                found += untested_code(text, guide.read_text() if guide.exists() else "")
        else:
            found = [(text[:mention.start()].count("\n") + 1, f"no such file: {mention[0]}")
                     for mention in MENTION.finditer(text) if not (root / mention[0]).exists()]
        yield from (f"{path.relative_to(root)}:{number}: {problem}" for number, problem in found)


def main():
    found = list(problems(pathlib.Path(sys.argv[1]).resolve()))
    print("\n".join(found))
    return 1 if found else 0


if __name__ == "__main__":
    sys.exit(main())

#!/usr/bin/env python3
"""Fails on a public function that can fail and does not list its error codes.

    error_codes.py ROOT

Each function of include/kinetic that returns a Result or a Status needs `@errors` in its comment. Exempt are private
members, specializations of templates, and namespaces inside of namespace kinetic.
"""

import pathlib
import re
import sys

LITERAL = re.compile(r'"(?:\\.|[^"\\])*"|\'(?:\\.|[^\'\\])\'')
NAMESPACE = re.compile(r"namespace kinetic$")
TYPE = re.compile(r"(?:template <.*> )?(?:class|struct) (?:KINETIC_EXPORT )?\w+(?: final)?(?: : .*)?$")
FUNCTION = re.compile(r"(?:template <.*?> )?(?:(?:KINETIC_EXPORT|static|virtual|inline) )*(?:Result<.+>|Status) (\w+)\(")


def statements(text):
    """Yields the line, the comment, the text and the end (";", "{" or "}") of each statement."""
    comment, statement, depth, begin = [], "", 0, 0
    for number, line in enumerate(text.splitlines(), 1):
        if line.strip().startswith("///"):
            comment.append(line.strip())
            continue
        line = LITERAL.sub("''", line).split("//")[0].strip()
        if line.startswith("#") or not line:
            continue
        if line in ("public:", "private:", "protected:"):
            yield number, "", line, ":"
            continue
        statement += " "
        for character in line:
            begin = begin if statement.strip() else number
            depth += {"(": 1, ")": -1}.get(character, 0)
            if depth == 0 and character in ";{}":
                yield begin, "\n".join(comment), statement.strip(), character
                comment, statement = [], ""
            else:
                statement += character


def problems(text):
    """Returns the line and the name of each function that lists no error codes."""
    found, scopes = [], []  # scopes: whether a declaration in the scope is public
    for number, comment, statement, end in statements(text):
        is_public = all(scopes)
        if end == ":":
            scopes[-1] = statement == "public:"
            continue
        function = FUNCTION.match(statement)
        if function and is_public and "@errors" not in comment:
            found.append((number, function.group(1)))
        if end == "{":
            scopes.append(bool(NAMESPACE.match(statement) or TYPE.match(statement)))
        elif end == "}":
            scopes.pop()
    return found


def main():
    root = pathlib.Path(sys.argv[1])
    failed = False
    for header in sorted((root / "include/kinetic").glob("*.h")):
        for number, name in problems(header.read_text()):
            print(f"{header.relative_to(root)}:{number}: {name} lists no error codes; add @errors to its comment")
            failed = True
    return int(failed)


if __name__ == "__main__":
    sys.exit(main())

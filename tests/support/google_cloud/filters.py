"""List filters of Compute Engine: the forms that clients of this project may use."""

import re

SIMPLE = re.compile(r"([\w.\-/]+)\s*(=|!=|:|\beq\b|\bne\b)\s*(\"[^\"]*\"|'[^']*'|\S+)")


def matches(text, item):
    """Returns whether a resource passes a filter. Raises ValueError for an unknown form."""
    return all(_term(term, item) for term in _terms(text))


def _terms(text):
    text = text.strip()
    if not text:
        return []
    if text.startswith("("):
        parts = re.findall(r"\(([^()]*)\)", text)
        rest = re.sub(r"\([^()]*\)|\bAND\b", "", text).strip()
        if rest:
            raise ValueError(f"Invalid list filter expression near {rest!r}.")
        return parts
    return re.split(r"\s+AND\s+", text)


def _term(term, item):
    found = SIMPLE.fullmatch(term.strip())
    if not found:
        raise ValueError(f"Invalid list filter expression {term!r}.")
    field, operator, wanted = found.groups()
    wanted, value = wanted.strip("\"'"), _value(item, field)
    if wanted == "*" and operator in (":", "="):
        return value is not None
    if operator in ("eq", "ne"):
        return bool(value is not None and re.fullmatch(wanted, str(value))) == (operator == "eq")
    if operator == ":":
        return value is not None and wanted in str(value)
    return (str(value) == wanted) == (operator == "=")


def _value(item, field):
    for word in field.split(".", 1):
        item = item.get(word) if isinstance(item, dict) else None
    return item

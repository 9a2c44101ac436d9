"""Partial responses: the parameter `fields`, such as items(name,labels),nextPageToken."""

import re

TOKEN = re.compile(r"[\w*.@-]+|[(),/]")


def select(document, text):
    """Returns the selected fields. Raises ValueError for a mask that cannot be parsed."""
    words = TOKEN.findall(text)
    if "".join(words) != text.replace(" ", ""):
        raise ValueError(text)
    mask, rest = _mask(words)
    if rest:
        raise ValueError(text)
    return _kept(document, mask)


def _mask(words):
    """Returns {field: mask or None} and the words behind it."""
    mask = {}
    while words and words[0] != ")":
        name, inner, words = _field(words)
        mask[name] = inner
        if words and words[0] == ",":
            words = words[1:]
        elif words and words[0] != ")":
            raise ValueError(words[0])
    return mask, words


def _field(words):
    name, words = words[0], words[1:]
    if name in "(),/":
        raise ValueError(name)
    if words and words[0] == "/":
        if len(words) < 2:
            raise ValueError(name)
        inner_name, inner, words = _field(words[1:])
        return name, {inner_name: inner}, words
    if words and words[0] == "(":
        inner, words = _mask(words[1:])
        if not words:
            raise ValueError(name)
        return name, inner, words[1:]
    return name, None, words


def _kept(value, mask):
    if mask is None:
        return value
    if isinstance(value, list):
        return [_kept(item, mask) for item in value]
    if not isinstance(value, dict):
        return value
    return {key: _kept(item, mask.get(key, mask.get("*"))) for key, item in value.items()
            if key in mask or "*" in mask}

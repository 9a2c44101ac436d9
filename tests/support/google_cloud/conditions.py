"""IAM conditions: resource.name.startsWith("…") and resource.name == "…", joined by ||."""

import re

TERM = re.compile(r'\s*\(?\s*resource\.name(\.startsWith\(|\s*==\s*)"([^"]*)"\)?\s*\)?\s*')


def terms(expression):
    """Returns [(is_prefix, text)], or None for an expression that the stand-in cannot evaluate."""
    found = [TERM.fullmatch(part) for part in expression.split("||")]
    if not all(found):
        return None
    return [(term[1].startswith("."), term[2]) for term in found]


def holds(condition, resource):
    """@param resource  name as seen by conditions, "projects/_/buckets/b/objects/x" """
    known = terms(condition["expression"]) or ()
    return any(resource.startswith(text) if is_prefix else resource == text
               for is_prefix, text in known)

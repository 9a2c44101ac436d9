"""Checks requests against a discovery document, in Google's words where they are known."""

import copy
import json
import re

KINDS = {"string": str, "boolean": bool, "object": dict, "array": list}
FORMATS = {"int64": r"-?\d+", "uint64": r"\d+", "byte": r"[A-Za-z0-9+/_-]*={0,2}",
           "google-datetime": r"\d{4}-\d\d-\d\dT.*Z", "google-duration": r"-?\d+(\.\d+)?s",
           "google-fieldmask": r"[\w.,\s]*"}
OUTPUT_ONLY = re.compile(r"\[?output only", re.I)


class Validator:
    def __init__(self, document):
        self._schemas = document.schemas
        self._everywhere = document.parameters
        self._is_response = False

    def body(self, method, value):
        """Returns the violations of a request body."""
        name = method["request"]["$ref"]
        found = []
        self._check({"$ref": name}, value, name[0].lower() + name[1:], found)
        found += self._required(name, method["id"], value)
        return found

    def response(self, method, value):
        """Returns the violations of a response of the stand-in itself."""
        checker = copy.copy(self)
        checker._is_response = True
        found = []
        if "response" in method:
            checker._check(method["response"], value, method["response"]["$ref"], found)
        return found

    def query(self, method, pairs, path):
        """Returns the violations of the query and the path parameters."""
        found, seen = [], set()
        known = method.get("parameters", {})
        for name, value in pairs:
            schema = known.get(name) or self._everywhere.get(name)
            if not schema or schema["location"] == "path":
                found.append(f"Invalid JSON payload received. Unknown name \"{name}\": Cannot bind "
                             "query parameter. Field could not be found in request message.")
                continue
            if name in seen and not schema.get("repeated"):
                found.append(f"query parameter '{name}' is given twice")
            seen.add(name)
            self._check_query_value(schema, value, name, found)
        for name, schema in known.items():
            if schema.get("required") and schema["location"] == "query" and name not in seen:
                found.append(f"Required parameter: {name}")
        for name, value in path.items():
            self._check_text(known[name], value, name, found)
        return found

    def _check_query_value(self, schema, value, name, found):
        kind = schema["type"]
        if kind == "boolean" and value not in ("true", "false"):
            found.append(f"Invalid value at '{name}' (TYPE_BOOL), \"{value}\"")
        elif kind in ("integer", "number"):
            if re.fullmatch(r"-?\d+", value):
                self._check_range(schema, int(value), name, found)
            else:
                found.append(f"Invalid value at '{name}' (TYPE_INT32), \"{value}\"")
        elif kind == "string":
            self._check_text(schema, value, name, found)

    def _check(self, schema, value, path, found):
        is_output = OUTPUT_ONLY.match(schema.get("description", "")) or schema.get("readOnly")
        if is_output and not self._is_response:
            found.append(f"Invalid value at '{path}': the field is output only")
        if "$ref" in schema:
            schema = self._schemas[schema["$ref"]]
        kind = schema.get("type", "any")
        if kind == "any" or value is None:
            return
        if not _is_of(kind, value):
            found.append(f"Invalid value at '{path}' (TYPE_{kind.upper()}), "
                         f"{json.dumps(value)[:60]}")
        elif kind in ("integer", "number"):
            self._check_range(schema, value, path, found)
        elif kind == "string":
            self._check_text(schema, value, path, found)
        elif kind == "array":
            for index, item in enumerate(value):
                self._check(schema["items"], item, f"{path}[{index}]", found)
        elif kind == "object":
            self._check_members(schema, value, path, found)

    def _check_members(self, schema, value, path, found):
        members, others = schema.get("properties", {}), schema.get("additionalProperties")
        for name, member in value.items():
            if name in members or others:
                self._check(members.get(name, others), member, f"{path}.{name}", found)
            else:
                found.append("Invalid JSON payload received. Unknown name "
                             f"\"{name}\" at '{path}': Cannot find field.")

    @staticmethod
    def _check_range(schema, value, path, found):
        low, high = float(schema.get("minimum", "-inf")), float(schema.get("maximum", "inf"))
        if schema.get("format") == "int32":
            low, high = max(low, -2**31), min(high, 2**31 - 1)
        if not low <= value <= high:
            found.append(f"Invalid value at '{path}': {value} is out of range")

    @staticmethod
    def _check_text(schema, value, path, found):
        if "enum" in schema and value not in schema["enum"]:
            found.append(f"Invalid value at '{path}' (TYPE_ENUM), \"{value}\"")
        pattern = FORMATS.get(schema.get("format"))
        if pattern and not re.fullmatch(pattern, value):
            found.append(f"Invalid value at '{path}' ({schema['format']}), \"{value}\"")
        if "pattern" in schema and not re.fullmatch(schema["pattern"], value):
            found.append(f"Invalid value for field '{path}': '{value}'. "
                         f"Must be a match of regex '{schema['pattern']}'")

    def _required(self, name, method, value):
        """Returns the missing fields that the document marks as required for the method."""
        members = self._schemas[name].get("properties", {})
        return [f"Required field: {member}" for member, schema in members.items()
                if method in schema.get("annotations", {}).get("required", [])
                and isinstance(value, dict) and value.get(member) is None]


def _is_of(kind, value):
    if kind == "integer":
        return isinstance(value, int) and not isinstance(value, bool)
    if kind == "number":
        return isinstance(value, (int, float)) and not isinstance(value, bool)
    return isinstance(value, KINDS[kind])

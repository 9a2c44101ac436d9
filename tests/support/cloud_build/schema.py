"""Checks request bodies against Google's discovery document of Cloud Build. schema.json is an excerpt of it.

`python3 schema.py DOCUMENT` (cloudbuild.v1.json of google-api-python-client) updates the excerpt.
"""

import json
import pathlib
import re
import sys

FILE = pathlib.Path(__file__).with_name("schema.json")
KINDS = {"string": str, "boolean": bool, "object": dict, "array": list}
FORMATS = {"int64": r"-?\d+", "uint64": r"\d+", "google-datetime": r"\d{4}-\d\d-\d\dT.*Z",
           "google-duration": r"-?\d+(\.\d+)?s", "byte": r"[A-Za-z0-9+/_-]*={0,2}"}
LEFT_OUT = ("description", "enumDescriptions", "annotations", "id", "deprecated", "enumDeprecated")
REQUESTS = ("Build", "CancelBuildRequest")


class Schemas:
    def __init__(self):
        self._schemas = json.loads(FILE.read_text())["schemas"]

    def problems(self, name, value):
        """Returns the violations, in Google's words where known."""
        found = []
        self._check({"$ref": name}, value, name[0].lower() + name[1:], found)
        return found

    def _check(self, schema, value, path, found):
        if "$ref" in schema:
            schema = self._schemas[schema["$ref"]]
        if schema.get("readOnly"):
            found.append(f"Invalid value at '{path}': the field is output only")
        kind = schema.get("type", "any")
        if kind == "any":
            return
        if not self._is_of(kind, value):
            found.append(f"Invalid value at '{path}' (TYPE_{kind.upper()}), {json.dumps(value)[:60]}")
        elif kind == "string":
            self._check_text(schema, value, path, found)
        elif kind == "array":
            for index, item in enumerate(value):
                self._check(schema["items"], item, f"{path}[{index}]", found)
        elif kind == "object":
            self._check_members(schema, value, path, found)

    @staticmethod
    def _is_of(kind, value):
        if kind == "integer":
            return isinstance(value, int) and not isinstance(value, bool)
        if kind == "number":
            return isinstance(value, (int, float)) and not isinstance(value, bool)
        return isinstance(value, KINDS[kind])

    @staticmethod
    def _check_text(schema, value, path, found):
        if "enum" in schema and value not in schema["enum"]:
            found.append(f"Invalid value at '{path}' (TYPE_ENUM), \"{value}\"")
        pattern = FORMATS.get(schema.get("format"))
        if pattern and not re.fullmatch(pattern, value):
            found.append(f"Invalid value at '{path}' (TYPE_{schema['format'].upper()}), \"{value}\"")

    def _check_members(self, schema, value, path, found):
        members, others = schema.get("properties", {}), schema.get("additionalProperties")
        for name, member in value.items():
            if name in members or others:
                self._check(members.get(name, others), member, f"{path}.{name}", found)
            else:
                found.append(f"Unknown name \"{name}\" at '{path}': Cannot find field.")


def _stripped(schema):
    """Returns a schema without descriptions."""
    kept = {}
    for key, value in schema.items():
        if key == "properties":
            kept[key] = {name: _stripped(member) for name, member in value.items()}
        elif key not in LEFT_OUT:
            kept[key] = _stripped(value) if isinstance(value, dict) else value
    return kept


def excerpt(document):
    """Returns the text of schema.json: the schemas of request bodies."""
    schemas = {}

    def take(part):
        if isinstance(part, dict):
            if "$ref" in part and part["$ref"] not in schemas:
                schemas[part["$ref"]] = _stripped(document["schemas"][part["$ref"]])
                take(schemas[part["$ref"]])
            for member in part.values():
                take(member)

    for name in REQUESTS:
        take({"$ref": name})
    lines = ",\n".join(f"  {json.dumps(name)}: {json.dumps(schemas[name], sort_keys=True)}" for name in sorted(schemas))
    head = "".join(f" {json.dumps(key)}: {json.dumps(document[key])},\n" for key in ("name", "version", "revision"))
    return f"{{\n{head} \"schemas\": {{\n{lines}\n }}\n}}\n"


if __name__ == "__main__":
    FILE.write_text(excerpt(json.loads(pathlib.Path(sys.argv[1]).read_text())))

"""How the request of a known method becomes a response."""

import copy
import json
import urllib.parse

from . import admission, fields, required
from .calls import HANDLERS, Call
from .errors import GoogleError, field_violation, retry_info
from .multipart import metadata_of
from .validator import Validator


class Dispatcher:
    def __init__(self, cloud):
        self._cloud, self._validators = cloud, {}

    def apply(self, entry, found, headers, content):
        document, method, params = found
        caller = admission.caller_of(self._cloud, headers)
        entry["caller"] = caller
        call = self._call(entry, document, method, params, headers, content)
        if "httpMethod" in method:  # else only another server knows it
            self._validate(entry, document, method, call, content)
        function, permission = HANDLERS.get(call.method, (None, None))
        if not function:
            self._cloud.violate(entry, ["the stand-in does not implement this method"])
            raise GoogleError(501, f"{call.method} is not implemented by the stand-in")
        self._refuse_by_fault(call)
        admission.check(self._cloud, call, document.title, permission)
        self._check_required(entry, call)
        self._cloud.operations.settle()
        result = copy.deepcopy(function(self._cloud, call))
        if isinstance(result, dict) and "httpMethod" in method:
            self._check_response(entry, document, method, result)
            result = self._selected(entry, call, result)
        return result

    def _selected(self, entry, call, result):
        """Returns the part of a response that the parameter `fields` selects."""
        try:
            mask = call.query.get("fields")
            return fields.select(result, mask) if mask else result
        except ValueError:
            problem = f"Invalid field selection {call.query['fields']}"
            self._cloud.violate(entry, [problem])
            raise GoogleError(400, problem) from None

    def _check_response(self, entry, document, method, result):
        if problems := self._validators[document.service].response(method, result):
            self._cloud.defects.append({"method": entry["method"], "problems": problems})

    def _call(self, entry, document, method, params, headers, content):
        target = "/" + entry["target"].lstrip("/").partition("/")[2]
        pairs = urllib.parse.parse_qsl(target.partition("?")[2], keep_blank_values=True)
        lists = {}
        for name, value in pairs:
            lists.setdefault(name, []).append(value)
        call = Call(document.service, method["id"], params,
                    {name: values[-1] for name, values in lists.items()}, lists, None, content,
                    headers, target, entry["verb"], entry["caller"], entry["fault"])
        return call

    def _validate(self, entry, document, method, call, content):
        """Checks a request against its document and parses its body."""
        validator = self._validators.setdefault(document.service, Validator(document))
        pairs = [(name, value) for name, values in call.lists.items() for value in values]
        known = [pair for pair in pairs if "mediaUpload" not in method
                 or pair[0] not in ("uploadType", "upload_id")]
        problems = validator.query(method, known, call.params)
        text = metadata_of(call, content)
        if text is not None and "request" in method:
            call.body, found = self._parsed(validator, method, call, text)
            problems += found
        elif text and text.strip() not in (b"", b"{}"):
            problems.append("this method has no request body")
        entry["body"] = call.body
        self._canonicalize(call)
        if problems:
            self._cloud.violate(entry, problems)
            raise GoogleError(400, "\n".join(problems), details=[
                field_violation("", problem) for problem in problems])

    def _parsed(self, validator, method, call, text):
        if text and "json" not in (call.headers.get("Content-Type") or "") and \
                not call.target.startswith("/upload/"):
            return {}, ["the Content-Type of a body has to be application/json"]
        try:
            body = json.loads(text or b"{}")
        except ValueError as error:
            return {}, [f"Invalid JSON payload received. {error}"]
        return body, validator.body(method, body)

    def _canonicalize(self, call):
        """Replaces the project's number in names by its identifier."""
        options = self._cloud.options
        old, new = f"projects/{options.number}", f"projects/{options.project}"
        for key, value in call.params.items():
            if value == old or value.startswith(old + "/"):
                call.params[key] = new + value[len(old):]
            elif key == "project" and value == options.number:
                call.params[key] = options.project
        if call.query.get("project") == options.number:
            call.query["project"] = options.project

    def _check_required(self, entry, call):
        if lacking := required.missing(call):
            problems = [f"Required field is missing: {field}" for field in lacking]
            self._cloud.violate(entry, problems)
            raise GoogleError(400, "; ".join(problems), details=[
                field_violation(field, "required") for field in lacking])

    @staticmethod
    def _refuse_by_fault(call):
        if call.fault == "503":
            raise GoogleError(503, "The service is currently unavailable.")
        limited = call.fault == "quota" and call.service not in ("container",)
        if call.fault == "429" or limited:
            raise GoogleError(429, f"Quota exceeded for quota metric 'Requests' of service "
                                   f"'{call.service}.googleapis.com'.", details=[retry_info(1)])

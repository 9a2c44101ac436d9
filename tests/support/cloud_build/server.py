"""The REST interface of Cloud Build, version 1."""

import dataclasses
import http.server
import json
import pathlib
import re
import threading
import urllib.parse

from .builds import Bucket, Build
from .engine import Engine
from .schema import Schemas

PATH = re.compile(r"/v1/projects/(?P<project>[^/]+)(/locations/(?P<location>[^/]+))?/builds"
                  r"(/(?P<id>[^/:]+)(?P<verb>:cancel)?)?")
CONDITION = re.compile(r'(tags|status)="([^"]*)"')
TAG = re.compile(r"[\w][\w.-]{0,127}")
EVERYWHERE = ("alt", "prettyPrint", "quotaUser")  # standard parameters that are known to be sent
STATUSES = {400: "INVALID_ARGUMENT", 401: "UNAUTHENTICATED", 403: "PERMISSION_DENIED", 404: "NOT_FOUND",
            405: "UNIMPLEMENTED", 429: "RESOURCE_EXHAUSTED", 503: "UNAVAILABLE"}
LOGS_WANTED = ("if 'build.service_account' is specified, the build must either (a) specify 'build.logs_bucket', (b) use "
               "the REGIONAL_USER_OWNED_BUCKET build.options.default_logs_bucket_behavior option, or (c) use either "
               "CLOUD_LOGGING_ONLY / NONE logging options")


class Refusal(Exception):
    def __init__(self, code, message, status=None, details=None):
        super().__init__(message)
        self.code = code
        self.body = {"error": {"code": code, "message": message, "status": status or STATUSES[code]}}
        if details:
            self.body["error"]["details"] = details


@dataclasses.dataclass
class Fault:
    """A fault of the next request of a method.

    `act`: a status, "cut" (the connection is closed without a response), or "lose" (closed after the request was
    handled)."""

    method: str
    act: object
    path: str = ""  # substring


class CloudBuild:
    """@param folder       images and workspaces
    @param storage_url  Cloud Storage as used by builds
    @param projects     existing projects
    @param engine       an engine that the caller owns; None: a new one
    """

    def __init__(self, folder, storage_url, storage_token=None, token="ya29.s3cret-token", projects=("p",), engine=None):
        self.folder = pathlib.Path(folder)
        self.folder.mkdir(parents=True, exist_ok=True)
        self.engine = engine or Engine(self.folder / "engine")
        self._own_engine = not engine
        self.bucket = Bucket(storage_url, storage_token)
        self.token, self.projects = token, projects
        self.held, self.held_before_push = threading.Event(), threading.Event()
        self.ends_as, self.faults = [], []
        self.is_disabled, self.denies = False, False
        self.requests = []  # "POST /v1/…"
        self.builds = {}  # by id, in order of creation
        self._schemas = Schemas()
        self._lock = threading.Lock()
        service = self

        class Handler(_Handler):
            pass

        Handler.service = service
        self._server = _Server(("127.0.0.1", 0), Handler)
        threading.Thread(target=self._server.serve_forever, daemon=True).start()
        self.url = f"http://127.0.0.1:{self._server.server_port}"

    def stop(self):
        self._server.shutdown()
        self._server.server_close()
        self.held.clear()
        self.held_before_push.clear()
        for build in list(self.builds.values()):
            build.cancel()
            build.join()
        if self._own_engine:
            self.engine.remove()

    def statuses(self):
        """Returns the status of each build in order of creation."""
        return [build.shown()["status"] for build in self.builds.values()]

    def fault_of(self, method, path):
        """Records a request and returns its fault, if any."""
        with self._lock:
            self.requests.append(f"{method} {path}")
            for fault in self.faults:
                if fault.method == method and fault.path in path:
                    self.faults.remove(fault)
                    return fault.act
        return None

    def answer(self, method, target, authorization, body):
        """@returns the response document; @raises Refusal"""
        path, _, query = target.partition("?")
        asked = dict(urllib.parse.parse_qsl(query, keep_blank_values=True))
        found = PATH.fullmatch(urllib.parse.unquote(path))
        if not found:
            raise Refusal(404, "Not Found")
        self._admit(authorization, found["project"])
        place = (found["project"], found["location"] or "global")
        if method == "POST" and not found["id"]:
            return self._create(place, asked, body)
        if method == "POST" and found["verb"]:
            return self._cancel(place, found["id"], asked, body)
        if method == "GET" and not found["id"]:
            return self._list(place, asked)
        if method == "GET" and not found["verb"]:
            self._check_query(asked, ("name", "projectId"))
            return self._find(place, found["id"]).shown()
        raise Refusal(405, "Method not allowed.")

    def _admit(self, authorization, project):
        if authorization != f"Bearer {self.token}":
            raise Refusal(401, "Request had invalid authentication credentials. Expected OAuth 2 access token, login "
                               "cookie or other valid authentication credential.")
        if self.is_disabled:
            raise Refusal(403, "Cloud Build API has not been used in project 123 before or it is disabled.", details=[
                {"@type": "type.googleapis.com/google.rpc.ErrorInfo", "reason": "SERVICE_DISABLED",
                 "domain": "googleapis.com",
                 "metadata": {"service": "cloudbuild.googleapis.com", "consumer": "projects/123"}}])
        if self.denies or project not in self.projects:
            raise Refusal(403, "The caller does not have permission")

    @staticmethod
    def _check_query(asked, known):
        for name in asked:
            if name not in known and name not in EVERYWHERE:
                raise Refusal(400, f"Invalid JSON payload received. Unknown name \"{name}\": Cannot bind query "
                                   "parameter. Field could not be found in request message.")

    def _body(self, name, body):
        try:
            value = json.loads(body or b"{}")
        except ValueError as error:
            raise Refusal(400, f"Invalid JSON payload received. {error}") from None
        if problems := self._schemas.problems(name, value):
            raise Refusal(400, "Invalid JSON payload received. " + "\n".join(problems))
        return value

    def _create(self, place, asked, body):
        self._check_query(asked, ("parent", "projectId"))
        order = self._body("Build", body)
        _check_order(order)
        with self._lock:  # older builds become visible first
            build = Build(order, *place, self)
            self.builds[build.id] = build
        shown = build.shown()
        build.start()
        return {"name": f"operations/build/{place[0]}/{build.id}",
                "metadata": {"@type": "type.googleapis.com/google.devtools.cloudbuild.v1.BuildOperationMetadata",
                             "build": shown}}

    def _find(self, place, build):
        found = self.builds.get(build)
        if not found or not found.resource["name"].startswith("projects/{}/locations/{}/".format(*place)):
            raise Refusal(404, "Requested entity was not found.")
        return found

    def _cancel(self, place, build, asked, body):
        self._check_query(asked, ())
        self._body("CancelBuildRequest", body)
        found = self._find(place, build)
        if not found.cancel() and found.resource["status"] != "CANCELLED":
            raise Refusal(400, "Build has already completed.", "FAILED_PRECONDITION")
        return found.shown()

    def _list(self, place, asked):
        self._check_query(asked, ("filter", "pageSize", "pageToken", "parent", "projectId"))
        conditions = _conditions(asked.get("filter", ""))
        there = [build.shown() for build in reversed(list(self.builds.values()))]
        there = [build for build in there if build["name"].startswith("projects/{}/locations/{}/".format(*place))]
        there = [build for build in there if all(
            value in build.get("tags", []) if name == "tags" else build["status"] == value
            for name, value in conditions)]
        size, start = int(asked.get("pageSize", 100)), int(asked.get("pageToken", 0))
        answer = {"builds": there[start:start + size]} if there[start:start + size] else {}
        if len(there) > start + size:
            answer["nextPageToken"] = str(start + size)
        return answer


def _conditions(text):
    """[("tags", "x"), ("status", "WORKING")] of 'tags="x" AND status="WORKING"'"""
    conditions = []
    for part in filter(None, text.split(" AND ")):
        found = CONDITION.fullmatch(part)
        if not found:
            raise Refusal(400, f"invalid list filter: {part}")
        conditions.append(found.groups())
    return conditions


def _check_order(order):
    """Checks rules that are not in the schema."""
    if not order.get("steps"):
        raise Refusal(400, "invalid build: must specify at least one build step")
    for step in order["steps"]:
        if not step.get("name"):
            raise Refusal(400, "invalid build: build step must have a name")
    source = order.get("source", {}).get("storageSource", {})
    if not source.get("bucket") or not source.get("object"):
        raise Refusal(400, "invalid build: a source without bucket and object is not known here")
    for tag in order.get("tags", []):
        if not TAG.fullmatch(tag):
            raise Refusal(400, f"invalid build: invalid build tag {tag!r}: must match format \"^[\\w][\\w.-]{{0,127}}$\"")
    if not 0 < float(order.get("timeout", "3600s")[:-1]) <= 86400:
        raise Refusal(400, "invalid build: timeout must be between 0 and 24 hours")
    logging = order.get("options", {}).get("logging")
    if order.get("serviceAccount"):
        if not re.fullmatch(r"projects/[^/]+/serviceAccounts/[^/]+", order["serviceAccount"]):
            raise Refusal(400, "invalid value for 'build.service_account'")
        if not order.get("logsBucket") and logging not in ("CLOUD_LOGGING_ONLY", "NONE"):
            raise Refusal(400, LOGS_WANTED)
    if not order.get("logsBucket", "").startswith("gs://"):
        raise Refusal(400, "invalid build: a log elsewhere than in a bucket of the caller's is not known here")


class _Server(http.server.ThreadingHTTPServer):
    daemon_threads = True

    def handle_error(self, *_):
        """A disconnected client is not an error of the server."""


class _Handler(http.server.BaseHTTPRequestHandler):
    protocol_version = "HTTP/1.1"
    disable_nagle_algorithm = True

    def _handle(self):
        body = self.rfile.read(int(self.headers.get("Content-Length") or 0))
        act = self.service.fault_of(self.command, self.path)
        if act == "cut":
            self.close_connection = True
            return
        if isinstance(act, int):
            return self._answer(act, Refusal(act, "as the test wants it", STATUSES.get(act, "UNKNOWN")).body)
        try:
            status, document = 200, self.service.answer(self.command, self.path, self.headers.get("Authorization"), body)
        except Refusal as refusal:
            status, document = refusal.code, refusal.body
        if act == "lose":
            self.close_connection = True
            return
        self._answer(status, document)

    do_GET = do_POST = do_PUT = do_PATCH = do_DELETE = _handle

    def _answer(self, status, document):
        content = json.dumps(document).encode()
        self.send_response(status)
        self.send_header("Content-Type", "application/json; charset=UTF-8")
        self.send_header("Content-Length", str(len(content)))
        self.end_headers()
        self.wfile.write(content)

    def log_message(self, *_):
        pass

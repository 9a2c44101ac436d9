"""The stand-in without HTTP: its state, and how a request becomes a response."""

import json
import random
import subprocess
import threading
import time

from . import pass_through
from .calls import Again, Later, Raw
from .clock import Clock
from .dispatch import Dispatcher
from .errors import GoogleError
from .faults import Faults, Hold
from .iam import Iam
from .operations import Operations
from .options import Options
from .router import Router
from .services import load
from .state import State

HTML_404 = ("<!DOCTYPE html>\n<html lang=en>\n  <title>Error 404 (Not Found)!!1</title>\n"
            "  <p><b>404.</b> <ins>That’s an error.</ins>\n"
            "  <p>The requested URL <code>{}</code> was not found on this server.\n")


class Cloud:
    def __init__(self, options=None):
        self.options = options or Options()
        self.lock = threading.RLock()
        self.clock = Clock(self.options)
        self.state, self.log, self.violations = State(), [], []
        self.defects = []  # of the stand-in: its responses that Google's documents do not permit
        self.iam, self.operations = Iam(self), Operations(self)
        self.faults, self.hold = Faults(self.options.seed), Hold()
        self._random = random.Random(self.options.seed)
        self._router, self._dispatcher = Router(self.options.documents), Dispatcher(self)
        load(self)

    # Helpers of the services

    def random_bits(self, count=128):
        return self._random.getrandbits(count)

    def is_enabled(self, service):
        at = self.state["services"].get(service)
        return at is not None and at <= self.clock.now()

    def knows_account(self, email):
        """Returns whether policies accept a service account. Others' accounts are accepted."""
        options = self.options
        if not email.endswith(f"@{options.project}.iam.gserviceaccount.com"):
            return True
        account = self.state["serviceAccounts"].get(email)
        return bool(account) and \
            self.clock.now() >= account["_created"] + options.account_delay

    def settle(self):
        with self.lock:
            self.operations.settle()

    def call_hook(self, event):
        """Tells the hook about a node pool. A command gets the event as JSON on its input."""
        hook = self.options.hook
        if callable(hook):
            hook(event)
        else:
            subprocess.run(hook, shell=True, check=True, input=json.dumps(event), text=True)

    def violate(self, entry, problems):
        """Records a request that Google's documents do not permit."""
        self.violations.append({"method": entry["method"], "verb": entry["verb"],
                                "target": entry["target"], "problems": problems})

    # Requests

    def begin(self, verb, target):
        """Counts a request. Returns its log entry."""
        with self.lock:
            self.clock.advance(self.options.seconds_per_request)
            self.operations.settle()
            entry = {"number": len(self.log) + 1, "verb": verb, "target": target,
                     "service": None, "method": None, "caller": None, "body": None,
                     "status": None, "fault": None}
            self.log.append(entry)
        return entry

    def find(self, entry):
        """Returns document, method and path parameters of a request, or raises GoogleError."""
        host, _, rest = entry["target"].lstrip("/").partition("/")
        document = self._router.document(host)
        path, _, query = ("/" + rest).partition("?")
        found = document.find(entry["verb"], path) if document else None
        if document and document.service == "storage" and self.options.objects:
            found = pass_through.find(entry["verb"], path, query) or found
        if found:
            entry["service"], entry["method"] = document.service, found[0]["id"]
            with self.lock:
                entry["fault"] = self.faults.of(found[0]["id"])
            return document, *found
        self.violate(entry, [f"unknown path: {entry['verb']} {path}"])
        return None

    def answer(self, entry, found, headers, content):
        """Applies a request. Returns the HTTP status and a document, Raw or None."""
        if found is None:
            path = entry["target"].partition("?")[0]
            return 404, Raw(404, [("Content-Type", "text/html; charset=UTF-8")],
                            HTML_404.format(path).encode())
        began = time.monotonic()
        try:
            while True:
                try:
                    with self.lock:
                        result = self._dispatcher.apply(entry, found, headers, content)
                    break
                except Again as again:
                    if time.monotonic() - began > again.seconds:
                        result = again.answer
                        break
                    time.sleep(0.01)
            result = result.compute() if isinstance(result, Later) else result
        except GoogleError as error:
            return error.code, error.body(entry["service"])
        if isinstance(result, Raw):
            return result.status, result
        return (204 if result is None else 200), result

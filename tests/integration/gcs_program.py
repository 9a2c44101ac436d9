"""The gcs-server program as a child process of a test."""

import json
import shutil
import subprocess
import sys
import unittest
import urllib.request

SKIPPED = 77


def run_with_tool(case, tool, install):
    """Runs the tests of a case that needs a program, with `case.program` = the path of gcs-server. Returns the exit
    code."""
    if shutil.which(tool) is None:
        print(f"skipped 1 of 1: {tool} is not installed ({install})")
        return SKIPPED
    case.program = sys.argv[1]
    return 0 if unittest.main(argv=sys.argv[:1], exit=False).result.wasSuccessful() else 1


class GcsProgram:
    def __init__(self, program, *flags):
        # Other clients change objects without pause.
        self.process = subprocess.Popen([program, "--change-interval", "0", *flags], stdout=subprocess.PIPE, text=True)
        self.url = self.process.stdout.readline().strip()

    def stop(self):
        self.process.terminate()
        self.process.stdout.close()
        if self.process.wait(timeout=30) != 0:
            raise RuntimeError(f"gcs-server ended with {self.process.returncode}")

    def _send(self, method, path, body=None):
        data = None if body is None else json.dumps(body).encode()
        request = urllib.request.Request(self.url + path, data=data, method=method)
        with urllib.request.urlopen(request) as answer:
            return answer.read()

    def delete(self, path):
        self._send("DELETE", path)

    def post(self, path, body):
        self._send("POST", path, body)

    def requests(self):
        return json.loads(self._send("GET", "/_control/requests"))["requests"]

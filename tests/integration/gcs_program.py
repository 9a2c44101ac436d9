"""The gcs-server program as a child process of a test."""

import json
import subprocess
import urllib.request


class GcsProgram:
    def __init__(self, program, *flags):
        self.process = subprocess.Popen([program, *flags], stdout=subprocess.PIPE, text=True)
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

"""A machine with its store in a bucket of its own Cloud Storage test server."""

import datetime
import json
import pathlib
import subprocess
import time
import urllib.error
import urllib.parse
import urllib.request

from machine import Machine

ACTS = {
    "lose-reply": {"do": "lose-reply"},
    "503": {"do": "answer", "status": 503},
    "429": {"do": "answer", "status": 429, "retry_after": 0},
    "401": {"do": "answer", "status": 401},
    "reset before the body": {"do": "reset-before-body"},
    "reset in the body": {"do": "reset-in-body", "at_byte": 10},
    "reset after the body": {"do": "reset-after-body"},
    "reset in the answer": {"do": "reset-reply", "at_byte": 10},
    "truncated answer": {"do": "truncate-reply", "at_byte": 10},
    "flipped bit sent": {"do": "flip-body", "at_byte": 20},
    "flipped bit received": {"do": "flip-reply", "at_byte": 20},
    "stall": {"do": "stall-reply", "stall": 300},
}


class Bucket:
    """The server with one bucket."""

    def __init__(self, program, folder, token=None, host=None, name="bucket"):
        self.token = token
        flags = (["--token", token] if token else []) + (["--host", host] if host else [])
        self.process = subprocess.Popen([program, "--data-dir", str(folder), "--bucket", name, *flags],
                                        stdout=subprocess.PIPE, text=True)
        self.url = self.process.stdout.readline().strip().replace("//0.0.0.0:", "//127.0.0.1:")

    def stop(self):
        self.process.kill()
        self.process.wait()
        self.process.stdout.close()

    def _ask(self, method, path, body=None):
        return self._send(method, path, None if body is None else json.dumps(body).encode())

    def _send(self, method, path, data):
        headers = {"Authorization": f"Bearer {self.token}"} if self.token else {}
        request = urllib.request.Request(self.url + path, data=data, method=method, headers=headers)
        while True:
            try:
                with urllib.request.urlopen(request, timeout=30) as answer:
                    return answer.read()
            except urllib.error.HTTPError as error:
                if error.code != 429:
                    raise
            time.sleep(0.2)  # an object changes once a second

    def count(self):
        """Returns the total number of requests."""
        return json.loads(self._ask("GET", "/_control/requests"))["count"]

    def peek(self):
        """Returns the requests since the last call of requests()."""
        return json.loads(self._ask("GET", "/_control/requests"))["requests"]

    def requests(self):
        """Returns the requests since the last call."""
        found = self.peek()
        self._ask("DELETE", "/_control/requests")
        return found

    def commit(self, *faults):
        self._ask("POST", "/_control/faults", {"faults": list(faults)})

    def behave(self):
        self._ask("DELETE", "/_control/faults")

    def create(self, name):
        """Creates another bucket."""
        self._ask("POST", "/storage/v1/b?project=p", {"name": name})

    def change(self, resource):
        """Patches the bucket."""
        self._ask("PATCH", "/storage/v1/b/bucket", resource)

    def list(self, prefix):
        """Returns the first thousand objects below a prefix as the server describes them."""
        answer = json.loads(self._ask("GET", f"/storage/v1/b/bucket/o?prefix={prefix}&maxResults=1000"))
        return answer.get("items", [])

    def objects(self, prefix):
        """Returns the names below a prefix, without the prefix."""
        return {item["name"].removeprefix(prefix) for item in self.list(prefix)}

    def read(self, name):
        return self._ask("GET", f"/storage/v1/b/bucket/o/{urllib.parse.quote(name, safe='')}?alt=media")

    def put(self, name, content):
        name = urllib.parse.quote(name, safe="")
        self._send("POST", f"/upload/storage/v1/b/bucket/o?uploadType=media&name={name}", content)

    def age(self, name, days):
        """Replaces an object by one with an older lease. The lease of an existing object cannot be moved back."""
        content = self.read(name)
        self.remove(name)
        self.put(name, content)
        then = datetime.datetime.now(datetime.timezone.utc) - datetime.timedelta(days=days)
        self._ask("PATCH", f"/storage/v1/b/bucket/o/{urllib.parse.quote(name, safe='')}",
                  {"customTime": then.strftime("%Y-%m-%dT%H:%M:%SZ")})

    def remove(self, name):
        self._ask("DELETE", f"/storage/v1/b/bucket/o/{urllib.parse.quote(name, safe='')}")


class BucketMachine(Machine):
    """`place` is the folder in the bucket. Machines with the same place share their jobs."""

    def __init__(self, folder, kinetic, runner, bucket, place, **options):
        super().__init__(folder, kinetic, runner, None, **options)
        self.bucket, self.place = bucket, place
        self.environment |= {"STORAGE_EMULATOR_HOST": bucket.url, "KINETIC_STORE": f"gs://bucket/{place}",
                             "KINETIC_RUNNER": str(runner)}

    def objects(self):
        return self.bucket.objects(f"{self.place}/")

    def check_store(self):
        for name in self.objects():
            if pathlib.PurePath(name).suffix == ".json":
                json.loads(self.bucket.read(f"{self.place}/{name}"))

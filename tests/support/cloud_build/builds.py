"""Builds: their resources and their execution."""

import contextlib
import datetime
import io
import json
import pathlib
import re
import selectors
import shutil
import subprocess
import tarfile
import threading
import time
import urllib.error
import urllib.parse
import urllib.request
import uuid

from .engine import StepFailed, end

ENDED = ("SUCCESS", "FAILURE", "INTERNAL_ERROR", "TIMEOUT", "CANCELLED", "EXPIRED")
LOG_EVERY = 1.1  # seconds between writes of the log: Cloud Storage limits changes of an object to one a second


def now():
    return datetime.datetime.now(datetime.timezone.utc).isoformat(timespec="microseconds").replace("+00:00", "Z")


class Bucket:
    """Cloud Storage as used by a build."""

    def __init__(self, url, token=None):
        self._url, self._token = url, token

    def _ask(self, path, body=None):
        headers = {"Authorization": f"Bearer {self._token}"} if self._token else {}
        request = urllib.request.Request(self._url + path, data=body, headers=headers,
                                         method="GET" if body is None else "POST")
        with urllib.request.urlopen(request, timeout=60) as answer:
            return answer.read()

    def read(self, bucket, name, generation):
        name = urllib.parse.quote(name, safe="")
        return self._ask(f"/storage/v1/b/{bucket}/o/{name}?alt=media" +
                         (f"&generation={generation}" if generation else ""))

    def write(self, bucket, name, content):
        name = urllib.parse.quote(name, safe="")
        self._ask(f"/upload/storage/v1/b/{bucket}/o?uploadType=media&name={name}", content)


class Log:
    """The log object of a build. Each write replaces the whole object, as Google does."""

    def __init__(self, bucket, place, build):
        self._bucket = bucket
        self._in, _, folder = place.removeprefix("gs://").partition("/")
        self._name = (folder.rstrip("/") + "/" if folder else "") + f"log-{build}.txt"
        self._text, self._written, self._at = b"", None, 0.0
        self._lock = threading.Lock()
        self._later = None  # writes what was said since the last write

    def say(self, text):
        with self._lock:
            self._text += text if isinstance(text, bytes) else (text + "\n").encode()
            delay = self._at + LOG_EVERY - time.monotonic()
            if delay <= 0:
                self._write()
            elif self._later is None:
                self._later = threading.Timer(delay, self._write_later)
                self._later.daemon = True
                self._later.start()

    def write(self):
        """Writes all that was said, when the last write is long enough ago."""
        with self._lock:
            if self._text != self._written:
                time.sleep(max(0.0, self._at + LOG_EVERY - time.monotonic()))
                self._write()

    def _write_later(self):
        with self._lock, contextlib.suppress(urllib.error.URLError):
            self._later = None
            self._write()

    def _write(self):
        if self._text != self._written:
            self._bucket.write(self._in, self._name, self._text)
            self._written, self._at = self._text, time.monotonic()


class Stopped(Exception):
    """@param status  final status of the build"""

    def __init__(self, status):
        super().__init__(status)
        self.status = status


class Build:
    """One build, executed by its own thread.

    @param order   the requested resource
    @param service engine, bucket, folder and faults
    """

    def __init__(self, order, project, location, service):
        self.id = str(uuid.uuid4())
        self._lock = threading.Lock()
        self._service, self._project = service, project
        self._ending = None  # "CANCELLED" once requested
        self._process = None
        self._deadline = None
        self.resource = {
            **order, "id": self.id, "name": f"projects/{project}/locations/{location}/builds/{self.id}",
            "projectId": project, "status": "QUEUED", "createTime": now(),
            "logUrl": f"https://console.cloud.google.com/cloud-build/builds;region={location}/{self.id}?project=123"}
        self._thread = threading.Thread(target=self._run, daemon=True)

    def start(self):
        self._thread.start()

    def join(self):
        self._thread.join()

    def shown(self):
        with self._lock:
            return json.loads(json.dumps(self.resource))

    def has_done_steps(self):
        return all(step.get("status") == "SUCCESS" for step in self.shown()["steps"])

    def cancel(self):
        """@returns whether the build was running"""
        with self._lock:
            if self.resource["status"] in ENDED:
                return False
            self._ending = "CANCELLED"
            self.resource["status"] = "CANCELLED"
            self.resource["finishTime"] = now()
        return True

    def _set(self, **members):
        with self._lock:
            if self.resource["status"] not in ENDED:
                self.resource.update(members)

    def _run(self):
        workspace = self._service.folder / f"workspace-{self.id}"
        workspace.mkdir(parents=True)
        log = Log(self._service.bucket, self.resource["logsBucket"], self.id)
        try:
            self._wait_in_queue()
            self._deadline = time.monotonic() + float(self.resource.get("timeout", "3600s")[:-1])
            self._set(status="WORKING", startTime=now())
            log.say(f'starting build "{self.id}"\n')
            self._fetch(workspace, log)
            self._do_steps(workspace, log)
            log.write()
            self._wait_while(self._service.held_before_push)
            self._push(log)
            log.say("DONE")
            self._end(log, "SUCCESS")
        except Stopped as stopped:
            log.say(f"ERROR: context {'deadline exceeded' if stopped.status == 'TIMEOUT' else 'canceled'}")
            self._end(log, stopped.status)
        except Failed as failed:
            log.say(f"ERROR\nERROR: {failed.detail}")
            self._end(log, "FAILURE", statusDetail=failed.detail,
                      failureInfo={"type": failed.kind, "detail": failed.detail})
        except Exception as error:  # a fault of this stand-in counts as one of Google's
            self._set(status="INTERNAL_ERROR", statusDetail=repr(error), finishTime=now())
        finally:
            shutil.rmtree(workspace, ignore_errors=True)

    def _end(self, log, status, **members):
        with contextlib.suppress(urllib.error.URLError):
            log.write()
        self._set(status=status, finishTime=now(), **members)

    def _check(self):
        if self._ending:
            raise Stopped(self._ending)
        if self._deadline and time.monotonic() > self._deadline:
            raise Stopped("TIMEOUT")

    def _wait_while(self, event):
        while event.is_set():
            self._check()
            time.sleep(0.02)

    def _wait_in_queue(self):
        self._wait_while(self._service.held)
        if self._service.ends_as:
            raise Stopped(self._service.ends_as.pop(0))

    def _fetch(self, workspace, log):
        source = self.resource["source"]["storageSource"]
        log.say(f"FETCHSOURCE\nFetching storage object: gs://{source['bucket']}/{source['object']}")
        try:
            content = self._service.bucket.read(source["bucket"], source["object"], source.get("generation"))
            with tarfile.open(fileobj=io.BytesIO(content), mode="r:gz") as archive:
                archive.extractall(workspace)
        except (urllib.error.URLError, tarfile.TarError, OSError) as error:
            raise Failed("FETCH_SOURCE_FAILED", f"could not fetch the source: {error}") from None

    def _do_steps(self, workspace, log):
        log.say("BUILD")
        for index, step in enumerate(self.resource["steps"]):
            self._set_step(index, status="WORKING")
            try:
                self._service.engine.step(step, workspace, lambda words, folder: self._call(words, folder, log))
            except StepFailed as failed:
                if failed.line:
                    log.say(failed.line)
                self._set_step(index, status="FAILURE", exitCode=failed.code)
                raise Failed("USER_BUILD_STEP", f'build step {index} "{step["name"]}" failed: step exited with '
                                                f"non-zero status: {failed.code}") from None
            except Stopped as stopped:
                self._set_step(index, status=stopped.status)
                raise
            self._set_step(index, status="SUCCESS")

    def _set_step(self, index, **members):
        with self._lock:
            self.resource["steps"][index].update(members)

    def _push(self, log):
        log.say("PUSH")
        pushed = []
        for image in self.resource.get("images", []):
            log.say(f"Pushing {image}")
            said = []
            try:
                digest = self._service.engine.push(image, lambda words, folder: self._call(words, folder, log, said))
            except StepFailed:
                denied = re.search(r"unauthorized|denied|authentication required", b"".join(said).decode())
                raise Failed("PUSH_NOT_AUTHORIZED" if denied else "PUSH_FAILED", f"failed to push {image}") from None
            if not digest:
                raise Failed("PUSH_IMAGE_NOT_FOUND", f"failed to find one or more images after execution: {image}")
            pushed.append({"name": image, "digest": digest})
        self._set(results={"images": pushed})

    def _call(self, words, folder, log, said=None):
        """Runs a program with its output in the log. Returns its exit code."""
        with subprocess.Popen(words, cwd=pathlib.Path(folder), stdin=subprocess.DEVNULL, stdout=subprocess.PIPE,
                              stderr=subprocess.STDOUT, start_new_session=True) as process:
            try:
                with selectors.DefaultSelector() as ready:
                    ready.register(process.stdout, selectors.EVENT_READ)
                    while True:
                        self._check()
                        if not ready.select(0.05):
                            log.say(b"")
                            continue
                        piece = process.stdout.read1(1 << 16)
                        if not piece:
                            break
                        log.say(piece)
                        if said is not None:
                            said.append(piece)
                return process.wait()
            except BaseException:
                end(process)
                raise


class Failed(Exception):
    """@param kind  type of FailureInfo"""

    def __init__(self, kind, detail):
        super().__init__(detail)
        self.kind, self.detail = kind, detail

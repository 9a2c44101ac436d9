"""HTTP of the stand-in."""

import http.server
import json
import select
import socket
import sys
import threading
import time

from .calls import Raw
from .cloud import Cloud
from .control import control

TICK = 0.01  # seconds between checks for operations that are due


class GoogleCloud(Cloud):
    """@param options  see options.py"""

    def start(self):
        cloud = self

        class Handler(_Handler):
            pass

        Handler.cloud = cloud
        self._server = _Server((self.options.host, self.options.port), Handler)
        self.stopped = threading.Event()
        threading.Thread(target=self._server.serve_forever, args=(0.02,), daemon=True).start()
        threading.Thread(target=self._tick, daemon=True).start()
        self.url = f"http://{self.options.host}:{self._server.server_port}"
        return self

    def stop(self):
        self.stopped.set()
        self.hold.stop()
        self._server.shutdown()
        self._server.server_close()

    def _tick(self):
        """Finishes operations, and calls their hooks, without a request as well."""
        while not self.stopped.wait(TICK):
            self.settle()


class _Server(http.server.ThreadingHTTPServer):
    daemon_threads = True
    request_queue_size = 128

    def handle_error(self, *_):
        """A disconnected client is not an error of the server."""
        if not isinstance(sys.exc_info()[1], OSError):
            super().handle_error(*_)


class _Handler(http.server.BaseHTTPRequestHandler):
    protocol_version = "HTTP/1.1"
    disable_nagle_algorithm = True

    def _handle(self):
        content = self._read()
        if self.path.startswith("/_control/"):
            status, document = control(self.cloud, self.command, self.path, content)
            return self._send(status, document)
        entry = self.cloud.begin(self.command, self.path)
        found = self.cloud.find(entry)
        if self._is_held_and_dropped(entry) or self._is_cut_before(entry):
            return None
        try:
            status, document = self.cloud.answer(entry, found, self.headers, content)
        except Exception as error:  # a defect of the stand-in
            self.cloud.violations.append({"method": entry["method"], "problems": [repr(error)]})
            self._send(500, {"error": {"code": 500, "message": repr(error)}})
            raise
        entry["status"] = status
        self.cloud.hold.wait(entry["number"], "after", entry)
        if entry["fault"] == "reset_after":
            return self._reset()
        return self._send(status, document)

    do_GET = do_POST = do_PUT = do_PATCH = do_DELETE = _handle

    def _read(self):
        if "chunked" not in (self.headers.get("Transfer-Encoding") or ""):
            length = int(self.headers.get("Content-Length") or 0)
            content = self.rfile.read(length)
            if len(content) < length:
                raise ConnectionError("the client was killed while it sent the body")
            return content
        content = b""
        while size := int(self.rfile.readline().split(b";")[0], 16):
            content += self.rfile.read(size)
            self.rfile.readline()
        while self.rfile.readline().strip():
            pass
        return content

    def _is_held_and_dropped(self, entry):
        """Holds a request before it is applied. Returns whether its client has gone."""
        number = entry["number"]
        apply = self.cloud.hold.wait(number, "before", entry)
        if apply is None:
            apply = not self.cloud.hold.was_held(number) or self._is_connected()
        if not apply:
            entry["status"] = "dropped"
            self.close_connection = True
        return not apply

    def _is_connected(self):
        if not select.select([self.connection], [], [], 0)[0]:
            return True
        try:
            return bool(self.connection.recv(1, socket.MSG_PEEK))
        except OSError:
            return False

    def _is_cut_before(self, entry):
        if entry["fault"] == "timeout":
            self._wait_for_timeout()
        if entry["fault"] in ("reset_before", "timeout"):
            self._reset()
            return True
        return False

    def _wait_for_timeout(self):
        """Ignores the request until the client gives up."""
        end = time.monotonic() + self.cloud.options.timeout_seconds
        while time.monotonic() < end and self._is_connected():
            if self.cloud.stopped.wait(0.02):
                return

    def _reset(self):
        self.close_connection = True
        linger = (1).to_bytes(4, sys.byteorder) + (0).to_bytes(4, sys.byteorder)
        self.connection.setsockopt(socket.SOL_SOCKET, socket.SO_LINGER, linger)
        self.connection.close()

    def _send(self, status, document):
        if isinstance(document, Raw):
            headers, content = document.headers, document.content
        elif document is None:
            headers, content = [], b""
        else:
            headers = [("Content-Type", "application/json; charset=UTF-8")]
            content = json.dumps(document).encode()
        self.send_response(status)
        for name, value in headers:
            self.send_header(name, value)
        if status != 204:
            self.send_header("Content-Length", str(len(content)))
        self.end_headers()
        self.wfile.write(content)

    def log_message(self, *_):
        pass

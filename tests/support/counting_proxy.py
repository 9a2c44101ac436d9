"""Proxies that number the requests to several servers and can trigger an action at one of them."""

import http.client
import http.server
import pathlib
import ssl
import subprocess
import threading
import urllib.parse

HOP_BY_HOP = {"connection", "keep-alive", "transfer-encoding", "content-length", "expect"}


class Counter:
    """Numbers requests from 0. `strike` is called once, at the request with number `at` or the first for which `at`
    is true: before the server receives it, or after the server has responded. The client receives no response, or
    the status that `strike` returns."""

    def __init__(self):
        self._lock = threading.Lock()
        self.requests = []  # "POST /apis/batch/v1/…"
        self._at, self._answered, self._strike = None, False, None

    def arm(self, at, answered, strike):
        with self._lock:
            self.requests = []
            self._at, self._answered, self._strike = at, answered, strike

    def next(self, what):
        with self._lock:
            self.requests.append(what)
            return len(self.requests) - 1

    def _is_meant(self, number):
        return self._at(self.requests[number]) if callable(self._at) else number == self._at

    def strikes(self, number, answered):
        """Returns None to forward the request, 0 to close the connection, or a status to respond with."""
        with self._lock:
            if self._strike is None or answered != self._answered or not self._is_meant(number):
                return None
            strike, self._strike = self._strike, None
        return strike() or 0


class CountingProxy:
    """Forwards requests to the server at `url`, whose certificate is signed by `trusted` if given. Streams are
    forwarded immediately. With `identity` (a file with certificate and key) it uses TLS."""

    def __init__(self, url, counter, trusted=None, identity=None):
        parts = urllib.parse.urlsplit(url)
        context = ssl.create_default_context(cafile=str(trusted)) if trusted else None

        def connect():
            if context:
                return http.client.HTTPSConnection(parts.netloc, context=context)
            return http.client.HTTPConnection(parts.netloc)

        class Handler(_Handler):
            pass

        Handler.connect, Handler.counter = staticmethod(connect), counter
        self._server = _Server(("127.0.0.1", 0), Handler)
        if identity:
            inside = ssl.SSLContext(ssl.PROTOCOL_TLS_SERVER)
            inside.load_cert_chain(identity)
            self._server.socket = inside.wrap_socket(self._server.socket, server_side=True,
                                                     do_handshake_on_connect=False)
        self.url = f"{'https' if identity else 'http'}://127.0.0.1:{self._server.server_port}"
        threading.Thread(target=self._server.serve_forever, daemon=True).start()

    def stop(self):
        self._server.shutdown()
        self._server.server_close()


def make_identity(folder, names="IP:127.0.0.1"):
    """Creates a self-signed certificate with its key. @returns the file"""
    key, certificate = pathlib.Path(folder) / "proxy.key", pathlib.Path(folder) / "proxy.crt"
    subprocess.run(["openssl", "req", "-x509", "-newkey", "ec", "-pkeyopt", "ec_paramgen_curve:prime256v1", "-nodes",
                    "-keyout", key, "-out", certificate, "-days", "2", "-subj", "/CN=proxy",
                    "-addext", f"subjectAltName={names}"], check=True, capture_output=True)
    both = pathlib.Path(folder) / "proxy.pem"
    both.write_text(key.read_text() + certificate.read_text())
    return both


class _Server(http.server.ThreadingHTTPServer):
    daemon_threads = True
    block_on_close = False
    request_queue_size = 128

    def handle_error(self, *_):
        """Clients are expected to disconnect."""


class _Handler(http.server.BaseHTTPRequestHandler):
    protocol_version = "HTTP/1.1"
    disable_nagle_algorithm = True

    def pass_on(self):
        body = self._body()
        number = self.counter.next(f"{self.command} {self.path}")
        struck = self.counter.strikes(number, answered=False)
        if struck is not None:
            return self._fail(struck)
        behind = self.connect()
        try:
            headers = {name: value for name, value in self.headers.items() if name.lower() not in HOP_BY_HOP}
            behind.request(self.command, self.path, body, headers)
            answer = behind.getresponse()
            struck = self.counter.strikes(number, answered=True)
            if struck is not None:
                return self._fail(struck)
            self._answer(answer)
        except (OSError, http.client.HTTPException):
            self._hang_up()
        finally:
            behind.close()

    do_GET = do_HEAD = do_POST = do_PUT = do_PATCH = do_DELETE = pass_on

    def _body(self):
        if self.headers.get("Transfer-Encoding", "").lower() != "chunked":
            return self.rfile.read(int(self.headers.get("Content-Length") or 0)) or None
        pieces = []
        while size := int(self.rfile.readline().split(b";")[0], 16):
            pieces.append(self.rfile.read(size))
            self.rfile.readline()
        self.rfile.readline()
        return b"".join(pieces)

    def _answer(self, answer):
        self.send_response_only(answer.status)
        for name, value in answer.getheaders():
            if name.lower() not in HOP_BY_HOP:
                self.send_header(name, value)
        length = answer.getheader("Content-Length")
        has_body = answer.status not in (204, 304) and self.command != "HEAD"
        if has_body and length is None:
            self.send_header("Transfer-Encoding", "chunked")
        elif length is not None:
            self.send_header("Content-Length", length)
        self.end_headers()
        while has_body and (piece := answer.read1(1 << 16)):
            self.wfile.write(piece if length is not None else b"%x\r\n%s\r\n" % (len(piece), piece))
            self.wfile.flush()
        if has_body and length is None:
            self.wfile.write(b"0\r\n\r\n")

    def _fail(self, status):
        if status == 0:
            return self._hang_up()
        self.send_response_only(status)
        self.send_header("Content-Length", "0")
        self.end_headers()

    def _hang_up(self):
        self.close_connection = True

    def log_message(self, *_):
        pass


class FaultsAtEveryRequest:
    """Tests for a case with `inject_at_every_request(strike, survives)`, which calls `strike` with the client at each
    request. `strike` returns what happens to the request. `survives`: the client must succeed nevertheless."""

    def test_killed_client_does_not_block_the_next(self):
        def kill(client):
            client.kill()
            client.wait()
        self.inject_at_every_request(kill, survives=False)

    def test_closed_connections(self):
        self.inject_at_every_request(lambda client: None, survives=True)

    def test_overloaded_server(self):
        self.inject_at_every_request(lambda client: 503, survives=True)

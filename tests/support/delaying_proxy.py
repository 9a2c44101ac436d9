"""Simulates a distant server: delays each response and records when each request was active."""

import dataclasses
import http.client
import http.server
import re
import threading
import time
import urllib.parse

HOP_BY_HOP = {"connection", "keep-alive", "transfer-encoding", "content-length"}


@dataclasses.dataclass(frozen=True)
class Exchange:
    method: str
    target: str
    status: int
    begin: float  # time.monotonic() when the request arrived
    end: float  # when the response was sent


def count_round_trips(exchanges):
    """Returns the number of sequential round trips: the longest chain in which each request started after the
    response to the previous one."""
    count, answered = 0, float("-inf")
    for exchange in sorted(exchanges, key=lambda exchange: exchange.end):
        if exchange.begin >= answered:
            count, answered = count + 1, exchange.end
    return count


class DelayingProxy:
    """Forwards requests to the server at `url` and responds `delay` seconds later. `delay` and `bytes_per_second`,
    the upload rate of each connection, may change at any time. Clients use plain HTTP, over which they send no
    credential: the headers `shown` are added for the server, whose certificate `tls` trusts."""

    def __init__(self, url, delay, tls=None, shown=()):
        server = urllib.parse.urlsplit(url)
        self.delay = delay
        self.bytes_per_second = float("inf")
        self._lock = threading.Lock()
        self._exchanges = []
        proxy = self

        class Handler(http.server.BaseHTTPRequestHandler):
            protocol_version = "HTTP/1.1"
            disable_nagle_algorithm = True
            wbufsize = -1  # sends a response as one packet without waiting for an acknowledgement of its headers

            def setup(self):
                super().setup()
                if server.scheme == "https":
                    self.server_behind = http.client.HTTPSConnection(server.netloc, context=tls)
                else:
                    self.server_behind = http.client.HTTPConnection(server.netloc)

            def finish(self):
                self.server_behind.close()
                super().finish()

            def pass_on(self):
                begin = time.monotonic()
                body = self.rfile.read(int(self.headers.get("Content-Length") or 0))
                headers = {name: value for name, value in self.headers.items() if name.lower() not in HOP_BY_HOP}
                headers.update(shown)
                time.sleep(proxy.delay + len(body) / proxy.bytes_per_second)
                self.server_behind.request(self.command, self.path, body, headers)
                answer = self.server_behind.getresponse()
                if answer.chunked:
                    return self.stream(answer, begin)
                content = answer.read()
                self.send_response_only(answer.status)
                for name, value in answer.getheaders():
                    if name.lower() not in HOP_BY_HOP:
                        self.send_header(name, value)
                # A response to a HEAD request does not state the length of its body.
                if answer.status != 204:
                    self.send_header("Content-Length", str(len(content)))
                self.end_headers()
                proxy.note(Exchange(self.command, self.path, answer.status, begin, time.monotonic()))
                self.wfile.write(content)
                self.wfile.flush()

            def stream(self, answer, begin):
                """Forwards a response whose end may be far, such as that of a watch, as it arrives."""
                self.send_response_only(answer.status)
                for name, value in answer.getheaders():
                    if name.lower() not in HOP_BY_HOP:
                        self.send_header(name, value)
                self.send_header("Transfer-Encoding", "chunked")
                self.end_headers()
                proxy.note(Exchange(self.command, self.path, answer.status, begin, time.monotonic()))
                self.wfile.flush()
                try:
                    while piece := answer.read1(1 << 16):
                        self.connection.sendall(b"%x\r\n%b\r\n" % (len(piece), piece))
                    self.connection.sendall(b"0\r\n\r\n")
                except OSError:  # the client has closed the connection
                    self.close_connection = True

            do_GET = do_POST = do_PUT = do_PATCH = do_DELETE = pass_on

            def log_message(self, *_):
                pass

        class Server(http.server.ThreadingHTTPServer):
            request_queue_size = 128  # a connection beyond the backlog is made a second later

        self._server = Server(("127.0.0.1", 0), Handler)
        self._server.daemon_threads = True
        self.url = f"http://127.0.0.1:{self._server.server_port}"
        threading.Thread(target=self._server.serve_forever, daemon=True).start()

    def note(self, exchange):
        with self._lock:
            self._exchanges.append(exchange)

    def exchanges(self):
        """Returns the exchanges since the last call, in order of their responses."""
        with self._lock:
            found, self._exchanges = self._exchanges, []
        return found

    def stop(self):
        self._server.shutdown()
        self._server.server_close()


# The runner of a local job fetches the inputs and claims the attempt while it stores the record.
OF_RUNNER = re.compile(r"/checkpoints/|/claim&|/trees/\w+\?alt=media")


def until_record(exchanges):
    """Returns the exchanges of a submission up to its stored record, without those of the job's runner."""
    exchanges = [exchange for exchange in exchanges if not OF_RUNNER.search(urllib.parse.unquote(exchange.target))]
    record = next(exchange for exchange in exchanges
                  if exchange.method == "POST" and "record.json" in urllib.parse.unquote(exchange.target))
    return [exchange for exchange in exchanges if exchange.begin <= record.begin]

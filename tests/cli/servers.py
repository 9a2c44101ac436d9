"""Servers for the tests of the command line: programs of tests/support, and a proxy."""

import http.server
import json
import subprocess
import threading


class Program:
    """A server that prints its address in its first line."""

    def __init__(self, case, *command):
        self.process = subprocess.Popen(command, stdout=subprocess.PIPE, text=True)
        case.addCleanup(self.stop)
        self.line = self.process.stdout.readline().strip()
        assert self.line, f"{command} did not start"

    def stop(self):
        if self.process.poll() is None:
            self.process.terminate()
        self.process.wait()
        self.process.stdout.close()


class TokenServer(Program):
    def __init__(self, case, program, *options):
        super().__init__(case, program, *options)
        told = json.loads(self.line)
        self.url = told["url"]
        self.user = json.loads(told["user"])
        self.service_account = json.loads(told["service_account"])


class Refusal(http.server.BaseHTTPRequestHandler):
    """A proxy that answers every request with one status."""

    status = 407

    def refuse(self):
        self.server.asked.append(f"{self.command} {self.path}")
        self.send_response(self.status)
        self.send_header("Proxy-Authenticate", 'Basic realm="office"')
        self.send_header("Content-Length", "0")
        self.end_headers()

    do_CONNECT = do_GET = do_POST = refuse

    def log_message(self, *_):
        pass


class Proxy:
    def __init__(self, case, status):
        handler = type("Handler", (Refusal,), {"status": status})
        self.server = http.server.ThreadingHTTPServer(("127.0.0.1", 0), handler)
        self.server.asked = []
        thread = threading.Thread(target=self.server.serve_forever)
        thread.start()
        case.addCleanup(thread.join)
        case.addCleanup(self.server.server_close)
        case.addCleanup(self.server.shutdown)

    @property
    def asked(self):
        return self.server.asked

    @property
    def address(self):
        return "127.0.0.1:%d" % self.server.server_address[1]

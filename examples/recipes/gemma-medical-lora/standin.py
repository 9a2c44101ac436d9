"""An HTTP server in the place of the larger model, for runs without an account."""

import contextlib
import http.server
import json
import threading

KEY = "tiny"


@contextlib.contextmanager
def larger_model(replies, key=KEY):
    """Starts a server that replies to the questions of the map `replies`, and yields its URL.

    The first request is answered with 429, as by a server whose limit is reached.
    """
    limit_reached = threading.Event()

    class Handler(http.server.BaseHTTPRequestHandler):
        def do_POST(self):
            body = json.loads(self.rfile.read(int(self.headers["Content-Length"])))
            if self.headers["Authorization"] != f"Bearer {key}":
                self.respond(401, {"error": {"message": "invalid key"}})
            elif not limit_reached.is_set():
                limit_reached.set()
                self.respond(429, {"error": {"message": "too many requests"}}, {"Retry-After": "0"})
            else:
                content = replies[body["messages"][-1]["content"]]
                self.respond(200, {"choices": [{"message": {"role": "assistant", "content": content}}]})

        def respond(self, code, document, headers=None):
            content = json.dumps(document).encode()
            self.send_response(code)
            for name, value in {"Content-Length": str(len(content)), **(headers or {})}.items():
                self.send_header(name, value)
            self.end_headers()
            self.wfile.write(content)

        def log_message(self, *_):
            pass

    server = http.server.ThreadingHTTPServer(("127.0.0.1", 0), Handler)
    threading.Thread(target=server.serve_forever, daemon=True).start()
    try:
        yield f"http://127.0.0.1:{server.server_port}/v1"
    finally:
        server.shutdown()
        server.server_close()

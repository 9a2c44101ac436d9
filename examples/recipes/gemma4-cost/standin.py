"""A stand-in for vLLM at tiny size: it streams fixed words over the OpenAI API. It has no model.

    standin.py PORT
"""

import http.server
import json
import sys
import time

WORDS = "This server is a stand-in and has no model .".split()
SECONDS_PER_TOKEN = 0.005


class Server(http.server.ThreadingHTTPServer):
    """Answers the first requests with the statuses in `failures`, and streams words to the others."""

    daemon_threads = True

    def __init__(self, port, failures=()):
        super().__init__(("127.0.0.1", port), Handler)
        self.failures = list(failures)


class Handler(http.server.BaseHTTPRequestHandler):
    def do_GET(self):
        self.send_response(200 if self.path == "/health" else 404)
        self.end_headers()

    def do_POST(self):
        request = json.loads(self.rfile.read(int(self.headers["Content-Length"])))
        if self.server.failures:
            self.fail(self.server.failures.pop(0))
            return
        self.send_response(200)
        self.send_header("Content-Type", "text/event-stream")
        self.end_headers()
        count = request["max_tokens"]
        for number in range(count):
            time.sleep(SECONDS_PER_TOKEN)
            self.send_event({"choices": [{"delta": {"content": WORDS[number % len(WORDS)] + " "}}]})
        self.send_event({"choices": [], "usage": {"completion_tokens": count}})
        self.wfile.write(b"data: [DONE]\n\n")

    def fail(self, status):
        self.send_response(status)
        self.send_header("Retry-After", "0")
        self.end_headers()
        self.wfile.write(json.dumps({"error": {"message": "as the test asked"}}).encode())

    def send_event(self, event):
        self.wfile.write(f"data: {json.dumps(event)}\n\n".encode())
        self.wfile.flush()

    def log_message(self, *_):
        pass


if __name__ == "__main__":
    Server(int(sys.argv[1])).serve_forever()

"""A proxy between the pods of the test cluster and a stand-in for Google Cloud. It adds a token of the pod's own Google
identity to each request, as Workload Identity does."""

import http.client
import http.server
import secrets
import threading
import urllib.parse

from cluster import wait_for


class PodIdentity:
    """@param cloud    stand-in that accepts the tokens
    @param cluster  test cluster, whose pods reach the proxy at `url`"""

    def __init__(self, cloud, cluster):
        self._cloud, self._api, self._tokens = cloud, cluster.api, {}
        identity = self

        class Handler(_Handler):
            target = urllib.parse.urlsplit(cloud.url).netloc

            def token(self):
                return identity.token_of(self.client_address[0])

        self._server = http.server.ThreadingHTTPServer((cluster.address, 0), Handler)
        self._server.daemon_threads = True
        threading.Thread(target=self._server.serve_forever, args=(0.05,), daemon=True).start()
        self.url = f"http://{cluster.address}:{self._server.server_port}"

    def stop(self):
        self._server.shutdown()
        self._server.server_close()

    def token_of(self, address):
        pod = wait_for("a pod with this address", lambda: self._pod(address), 10)
        if pod["metadata"]["uid"] not in self._tokens:
            options, token = self._cloud.options, f"ya29.{secrets.token_hex(8)}"
            options.tokens[token] = (
                f"principal://iam.googleapis.com/projects/{options.number}/locations/global/workloadIdentityPools/"
                f"{options.project}.svc.id.goog/subject/ns/{pod['metadata']['namespace']}/"
                f"sa/{pod['spec']['serviceAccountName']}")
            self._tokens[pod["metadata"]["uid"]] = token
        return self._tokens[pod["metadata"]["uid"]]

    def _pod(self, address):
        pods = self._api.get(f"/api/v1/pods?fieldSelector=status.podIP={address},status.phase=Running")["items"]
        return next((pod for pod in pods if not pod["spec"].get("hostNetwork")), None)


class _Handler(http.server.BaseHTTPRequestHandler):
    protocol_version = "HTTP/1.1"

    def _forward(self):
        headers = {name: value for name, value in self.headers.items() if name.lower() != "connection"}
        headers["Authorization"] = f"Bearer {self.token()}"
        body = self.rfile.read(int(self.headers.get("Content-Length") or 0))
        connection = http.client.HTTPConnection(self.target, timeout=60)
        try:
            connection.request(self.command, self.path, body or None, headers)
            answer = connection.getresponse()
            content = answer.read()
        finally:
            connection.close()
        self.send_response_only(answer.status)
        for name, value in answer.headers.items():
            if name.lower() not in ("content-length", "connection", "transfer-encoding"):
                self.send_header(name, value)
        if answer.status != 204:
            self.send_header("Content-Length", str(len(content)))
        self.end_headers()
        self.wfile.write(content)

    do_GET = do_POST = do_PUT = do_PATCH = do_DELETE = _forward

    def log_message(self, *_):
        pass

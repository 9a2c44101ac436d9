"""A client of the Kubernetes API for tests."""

import http.client
import json
import ssl
import urllib.parse


class ApiError(Exception):
    """An error response: its status and the server's Status object."""

    def __init__(self, method, path, status, body):
        message = body.get("message", body) if isinstance(body, dict) else body
        super().__init__(f"{method} {path}: {status} {message}")
        self.status = status
        self.body = body


class Api:
    """@param server  "https://10.213.0.1:6443"
    @param token  of a service account or user"""

    def __init__(self, server, ca_file, token, timeout=30):
        self._address = urllib.parse.urlsplit(server).netloc
        self._context = ssl.create_default_context(cafile=str(ca_file))
        self._token = token
        self._timeout = timeout
        self._idle = []  # connections; threads take them out while they use them

    def call(self, method, path, body=None, content_type="application/json"):
        """Returns the response as JSON, or as text if it is not JSON."""
        headers = {"Authorization": f"Bearer {self._token}", "Content-Type": content_type}
        answer, text = self._send(method, path, None if body is None else json.dumps(body), headers)
        is_json = answer.headers.get_content_type() == "application/json"
        content = json.loads(text) if is_json and text else text
        if answer.status >= 400:
            raise ApiError(method, path, answer.status, content)
        return content

    def _send(self, method, path, body, headers):
        """Reads reuse an idle connection, because tests poll. If the server has closed it, they open a new one."""
        try:
            if method == "GET":
                return self._exchange(self._idle.pop(), method, path, body, headers)
        except (IndexError, OSError, http.client.HTTPException):
            pass
        connection = http.client.HTTPSConnection(self._address, timeout=self._timeout, context=self._context)
        return self._exchange(connection, method, path, body, headers)

    def _exchange(self, connection, method, path, body, headers):
        try:
            connection.request(method, path, body, headers)
            answer = connection.getresponse()
            text = answer.read().decode(errors="replace")
        except BaseException:
            connection.close()
            raise
        self._idle.append(connection)
        return answer, text

    def get(self, path):
        return self.call("GET", path)

    def find(self, path):
        """Returns the object, or None."""
        try:
            return self.get(path)
        except ApiError as error:
            if error.status == 404:
                return None
            raise

    def create(self, path, body):
        return self.call("POST", path, body)

    def create_all(self, path, bodies):
        """Creates many objects over one connection."""
        headers = {"Authorization": f"Bearer {self._token}", "Content-Type": "application/json"}
        connection = http.client.HTTPSConnection(self._address, timeout=self._timeout, context=self._context)
        try:
            for body in bodies:
                connection.request("POST", path, json.dumps(body), headers)
                answer = connection.getresponse()
                text = answer.read().decode(errors="replace")
                if answer.status >= 400:
                    raise ApiError("POST", path, answer.status, text)
        finally:
            connection.close()

    def patch(self, path, body):
        return self.call("PATCH", path, body, "application/strategic-merge-patch+json")

    def delete(self, path, **options):
        """Deletes an object in the background, if it exists."""
        try:
            return self.call("DELETE", path, {"propagationPolicy": "Background", **options})
        except ApiError as error:
            if error.status != 404:
                raise

    def ready(self):
        """Returns whether the server reports that it is ready."""
        try:
            return self.get("/readyz") == "ok"
        except (OSError, http.client.HTTPException, ApiError):
            return False

"""Sends requests to JSON APIs, with the standard library."""

import email.utils
import http.client
import json
import time
import urllib.error
import urllib.request

ATTEMPTS = 5
LONGEST_WAIT = 60  # seconds
RETRIED = {429, 500, 502, 503, 504}


class ApiError(RuntimeError):
    """A request failed. The message does not contain the key."""


def request_json(url, body=None, key=None):
    """Returns the JSON that a server responds with to a GET, or to a POST of `body`.

    Repeats a request that the server does not respond to, or responds to with 429 or 5xx, after the time in the
    response's Retry-After, or after 1, 2, 4, and 8 seconds.
    """
    request = make_request(url, body, key)
    for attempt in range(ATTEMPTS):
        default_wait = 2**attempt
        try:
            with urllib.request.urlopen(request, timeout=60) as response:
                return parse(url, response.read())
        except urllib.error.HTTPError as error:
            message = f"{error.code} {error.reason}: {excerpt(content_of(error), key)}"
            wait = retry_after(error.headers.get("Retry-After"), default_wait)
            if error.code not in RETRIED or wait > LONGEST_WAIT:
                break
        except (OSError, http.client.HTTPException) as error:
            message, wait = f"{type(error).__name__}: {error}", default_wait
        if attempt + 1 < ATTEMPTS:
            print(f"{request.host}: {message.splitlines()[0]}; repeating the request in {wait:g} s")
            time.sleep(wait)
    raise ApiError(f"{request.get_method()} {url}: {message}")


def make_request(url, body, key):
    data = None if body is None else json.dumps(body).encode()
    request = urllib.request.Request(url, data, {"Content-Type": "application/json"} if data else {})
    if key is not None:
        # The error of the HTTP library for such a key would contain it.
        if not (key.isascii() and key.isprintable()):
            raise ApiError(f"{url}: the key contains a line break or another character that a header must not contain")
        request.add_unredirected_header("Authorization", f"Bearer {key}")
    return request


def parse(url, content):
    try:
        return json.loads(content)
    except ValueError:
        raise ApiError(f"{url}: the response is not JSON: {excerpt(content)}") from None


def content_of(error):
    """Returns the content of an error response, or nothing if the connection is lost."""
    try:
        return error.read()
    except (OSError, http.client.HTTPException):
        return b""


def excerpt(content, key=None):
    """Returns the start of a response, without the key if the server repeats it."""
    text = " ".join(content.decode(errors="replace").split())
    return (text.replace(key, "***") if key else text)[:200]


def retry_after(header, default):
    """Returns the seconds in a Retry-After header, which is a number or a date."""
    if header is None:
        return default
    try:
        return max(0.0, float(header))
    except ValueError:
        pass
    try:
        return max(0.0, email.utils.parsedate_to_datetime(header).timestamp() - time.time())
    except ValueError:
        return default

"""Sends concurrent requests to a server with the OpenAI API, and measures it. Needs no packages."""

import concurrent.futures
import http.client
import json
import statistics
import time
import urllib.parse

TRIES = 5
TIMEOUT = 300


class ServerError(Exception):
    """An answer with another status than 200."""


def measure(url, model, prompts, requests, concurrency, max_tokens):
    """Sends `requests` prompts, `concurrency` at a time, and returns the throughput and the times to the first token.

    Requests that fail are counted, and their first messages are part of the result. It is an error if all fail.
    """
    texts = [prompts[number % len(prompts)] for number in range(requests)]
    start = time.monotonic()
    with concurrent.futures.ThreadPoolExecutor(concurrency) as pool:
        results = list(pool.map(lambda text: attempt(url, model, text, max_tokens), texts))
    seconds = time.monotonic() - start
    errors = [result["error"] for result in results if "error" in result]
    answered = [result for result in results if "error" not in result]
    if not answered:
        raise RuntimeError(f"all {requests} requests to {url} failed, the first one with: {errors[0]}")
    first_tokens = sorted(result["first_token_ms"] for result in answered)
    tokens = sum(result["tokens"] for result in answered)
    return {
        "requests": requests,
        "failed": len(errors),
        "retries": sum(result["retries"] for result in results),
        "errors": errors[:3],
        "seconds": round(seconds, 3),
        "output_tokens": tokens,
        "output_tokens_per_second": round(tokens / seconds, 1),
        "first_token_ms": {
            "median": round(statistics.median(first_tokens), 1),
            "p95": round(percentile(first_tokens, 95), 1),
        },
    }


def percentile(ordered, percent):
    """Returns the value in an ordered list that `percent` of the values do not exceed."""
    return ordered[max(-(-len(ordered) * percent // 100) - 1, 0)]


def attempt(url, model, prompt, max_tokens):
    """Sends a prompt, again while the server is too busy, and returns its measurements or its error."""
    for retries in range(TRIES):
        try:
            status, wait, result = request(url, model, prompt, max_tokens)
        except (OSError, http.client.HTTPException, ServerError) as error:
            return {"error": str(error) or type(error).__name__, "retries": retries}
        if status == 200:
            return {**result, "retries": retries}
        time.sleep(wait)
    return {"error": f"status 429 {TRIES} times", "retries": TRIES - 1}


def request(url, model, prompt, max_tokens):
    """Sends a prompt once. Returns the status, 200 or 429, the seconds to wait after a 429, and the measurements."""
    body = {
        "model": model,
        "messages": [{"role": "user", "content": prompt}],
        "max_tokens": max_tokens,
        "stream": True,
        "stream_options": {"include_usage": True},
    }
    connection = http.client.HTTPConnection(urllib.parse.urlsplit(url).netloc, timeout=TIMEOUT)
    try:
        start = time.monotonic()
        connection.request("POST", "/v1/chat/completions", json.dumps(body), {"Content-Type": "application/json"})
        response = connection.getresponse()
        if response.status == 429:
            return 429, seconds_to_wait(response.headers.get("Retry-After")), None
        if response.status != 200:
            text = response.read(300).decode(errors="replace")
            raise ServerError(f"status {response.status}: {text}")
        return 200, 0, read_stream(response, start)
    finally:
        connection.close()


def seconds_to_wait(retry_after):
    """Returns the seconds in a Retry-After header, between 0 and 10; without one, 1."""
    try:
        return min(max(float(retry_after), 0), 10)
    except (TypeError, ValueError):
        return 1


def read_stream(lines, start):
    """Reads server-sent events, and returns the time to the first text and the number of tokens."""
    first, chunks, usage, ended = None, 0, None, False
    for line in lines:
        data = line.decode().strip().removeprefix("data:").strip()
        if data == "[DONE]":
            ended = True
            break
        if not data:
            continue
        event = json.loads(data)
        if "error" in event:
            raise ServerError(f"error in the stream: {event['error']}")
        if any(choice["delta"].get("content") for choice in event.get("choices", [])):
            first = first or time.monotonic()
            chunks += 1
        usage = event.get("usage") or usage
    if not ended or first is None:
        raise ServerError("the stream ended without text" if ended else "the stream ended early")
    tokens = usage["completion_tokens"] if usage else chunks
    return {"first_token_ms": 1000 * (first - start), "tokens": tokens}

"""Bodies of uploads to Cloud Storage."""

import email.parser
import email.policy


def metadata_of(call, content):
    """Returns the JSON part of a request body, or None if it has only media."""
    if not call.target.startswith("/upload/"):
        return content
    kind = call.query.get("uploadType")
    if kind == "multipart":
        return parts(call, content)[0][1]
    return content if kind == "resumable" else None


def media_of(call):
    """Returns the type and the content of the uploaded media."""
    if call.query.get("uploadType") == "multipart":
        return parts(call, call.raw)[1]
    return call.headers.get("Content-Type") or "application/octet-stream", call.raw


def parts(call, content):
    """Returns [(type, content)] of a multipart/related body."""
    head = f"Content-Type: {call.headers.get('Content-Type')}\r\n\r\n".encode()
    message = email.parser.BytesParser(policy=email.policy.HTTP).parsebytes(head + content)
    found = [(part.get_content_type(), part.get_payload(decode=True))
             for part in message.iter_parts()]
    return found if len(found) == 2 else [("application/json", b"{}"), ("", b"")]

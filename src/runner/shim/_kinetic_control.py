"""Messages to the runner over a descriptor that the function's child processes do not inherit."""

import json
import os
import struct


class Control:
    def __init__(self, descriptor):
        os.set_inheritable(descriptor, False)
        self._descriptor = descriptor
        self._owner = os.getpid()

    def send(self, kind, **members):
        if os.getpid() != self._owner:
            return  # in a child process that the function forked
        members["kind"] = kind
        body = json.dumps(members).encode("ascii")
        frame = struct.pack(">I", len(body)) + body
        while frame:
            frame = frame[os.write(self._descriptor, frame) :]

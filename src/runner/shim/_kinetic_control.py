"""Messages to the runner over a descriptor that the function's child processes do not inherit.

A program may close the descriptor, as a daemon does, and open another file in its place. Messages are
then appended to a file in the exchange folder, which the runner reads after the end.
"""

import json
import os
import struct


class Control:
    def __init__(self, descriptor, folder):
        os.set_inheritable(descriptor, False)
        self._descriptor = descriptor
        self._pipe = os.fstat(descriptor)
        self._file = os.path.join(folder, "messages")
        self._owner = os.getpid()

    def is_owner(self):
        """Returns whether this is not a child process that the function forked."""
        return os.getpid() == self._owner

    def receive(self):
        """Returns the runner's next request, or None if it has no more."""
        line = b""
        while not line.endswith(b"\n"):
            try:
                part = os.read(self._descriptor, 65536)
            except OSError:  # closed, or replaced by the program
                return None
            if not part:
                return None
            line += part
        return json.loads(line)

    def send(self, kind, **members):
        if not self.is_owner():
            return
        members["kind"] = kind
        body = json.dumps(members).encode("ascii")
        frame = struct.pack(">I", len(body)) + body
        try:
            while frame and os.path.samestat(self._pipe, os.fstat(self._descriptor)):
                frame = frame[os.write(self._descriptor, frame) :]
        except OSError:  # closed
            pass
        if frame:
            with open(self._file, "ab") as file:
                file.write(frame)

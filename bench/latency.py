"""Simulates distant servers: each direction takes half a round trip."""

import queue
import socket
import threading
import time


class LatencyProxy:
    """A TCP proxy to the server at `host`, `port`. Opening a connection takes a round trip."""

    def __init__(self, host, port, round_trip):
        self._server = (host, port)
        self.round_trip = round_trip
        self._listener = socket.create_server(("127.0.0.1", 0), backlog=128)
        self.port = self._listener.getsockname()[1]
        threading.Thread(target=self._accept, daemon=True).start()

    def close(self):
        self._listener.shutdown(socket.SHUT_RDWR)
        self._listener.close()

    def _accept(self):
        while True:
            try:
                here, _ = self._listener.accept()
            except OSError:
                return
            there = socket.create_connection(self._server)
            opened = time.monotonic() + self.round_trip
            for source, sink in ((here, there), (there, here)):
                source.setsockopt(socket.IPPROTO_TCP, socket.TCP_NODELAY, 1)
                on_the_way = queue.SimpleQueue()
                threading.Thread(target=self._take, args=(source, on_the_way, opened), daemon=True).start()
                threading.Thread(target=self._give, args=(sink, on_the_way), daemon=True).start()

    def _take(self, source, on_the_way, opened):
        while True:
            try:
                piece = source.recv(1 << 18)
            except OSError:
                piece = b""
            on_the_way.put((max(time.monotonic(), opened) + self.round_trip / 2, piece))
            if not piece:
                return

    def _give(self, sink, on_the_way):
        try:
            while True:
                due, piece = on_the_way.get()
                time.sleep(max(0.0, due - time.monotonic()))
                if not piece:
                    return sink.shutdown(socket.SHUT_WR)
                sink.sendall(piece)
        except OSError:
            pass  # the client has disconnected

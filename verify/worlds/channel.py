"""Whole messages between two of our own processes, over a stream socket.

Messages are pickles: both ends are processes that we started, joined by a socket pair without a
name, so nobody else can write to it.
"""

from __future__ import annotations

import pickle
import socket
import struct
from collections.abc import Sequence
from typing import Any

_LENGTH = struct.Struct("!I")


class Channel:
    """One end of a connection; OSError or EOFError is raised once the other end is gone.

    `send` makes the system call of that name. Unlike a write to a pipe it isn't counted in `wchar`,
    so a rank may speak while the wire probe has a window open.
    """

    def __init__(self, end: socket.socket) -> None:
        self._end = end

    def fileno(self) -> int:
        return self._end.fileno()

    def send(self, message: object, handles: Sequence[int] = ()) -> None:
        """Send a message, and with it open file descriptors for `receive_handles`."""
        content = pickle.dumps(message)
        self._end.sendall(_LENGTH.pack(len(content)) + content)
        if handles:
            socket.send_fds(self._end, [b"\0"], list(handles))

    def receive(self) -> Any:
        """The next message; waits for it."""
        return pickle.loads(self._exactly(*_LENGTH.unpack(self._exactly(_LENGTH.size))))

    def receive_handles(self, count: int) -> list[int]:
        """The descriptors that came with the last message. Raises EOFError where some lack."""
        _, handles, _, _ = socket.recv_fds(self._end, 1, count)
        if len(handles) != count:
            raise EOFError(f"{len(handles)} of {count} descriptors arrived")
        return handles

    def _exactly(self, length: int) -> bytes:
        content = bytearray()
        while len(content) < length:
            part = self._end.recv(length - len(content))
            if not part:
                raise EOFError("the other end is gone")
            content += part
        return bytes(content)

    def give_up_after(self, seconds: float) -> None:
        """Bound every later wait: TimeoutError, an OSError, when the other end falls silent."""
        self._end.settimeout(seconds)

    def shut(self) -> None:
        """End the conversation, also for a thread that waits in `receive` or in a selector."""
        try:
            self._end.shutdown(socket.SHUT_RDWR)
        except OSError:
            return  # already gone

    def close(self) -> None:
        self._end.close()


def channel_pair() -> tuple[Channel, Channel]:
    """Two connected ends."""
    ours, theirs = socket.socketpair()
    return Channel(ours), Channel(theirs)

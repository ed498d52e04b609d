"""Runs on a warm world beside the same ones under torchrun; how they grow with ranks and payload.

Under torchrun every rank of every run loads Python and torch again. The bandwidth of an all-reduce
is what each rank sends over the time that the call takes, beside one loopback socket of the same
machine that carries as many bytes: two ranks send to each other at once, on however few cores.
"""

from __future__ import annotations

import os
import socket
import subprocess
import sys
import threading
from collections.abc import Iterator
from time import perf_counter

from verify.catalogue import find_experiment
from verify.evidence import Evidence
from verify.quantities import Measured
from verify.units import KiB, MiB, format_size
from verify.worlds.local import LocalWorld
from verify.worlds.request import Request

TIMES = 7
RANKS = (2, 4, 8, 16)
PAYLOADS = (64 * KiB, MiB, 16 * MiB, 256 * MiB)
BLOCK = MiB
TARGET = 1 / 20


def main() -> Iterator[str]:
    with LocalWorld() as world:
        seconds_of(world, ranks=2)  # the server loads torch
        warm = [seconds_of(world, ranks=4) for _ in range(TIMES)]
        launched = [under_torchrun(4) for _ in range(2)]
        share = min(warm) / min(launched)
        yield "all-reduce-bytes, 4 ranks, 4 MiB"
        yield f"  warm, best of {TIMES}           {min(warm):6.3f} s   {share:.3f} ×"
        yield f"  torchrun, best of 2       {min(launched):6.3f} s   1     ×"
        met = "met" if share <= TARGET else "not met"
        yield f"  target ≤ {TARGET:.3f} ×: {met}"
        yield "ranks, 4 MiB each, warm"
        for ranks in RANKS:
            taken = min(seconds_of(world, ranks=ranks) for _ in range(3))
            yield f"  {ranks:>2} ranks   {taken:6.3f} s   {taken / min(warm):5.2f} ×"
        yield "payload, 2 ranks: bytes that a rank sends per second, beside a socket"
        for payload in PAYLOADS:
            ours = max(bandwidth(world, payload) for _ in range(3))
            peer = max(socket_bandwidth(payload) for _ in range(3))
            yield (
                f"  {format_size(payload):>10}   {ours / MiB:7,.0f} MiB/s   "
                f"socket {peer / MiB:7,.0f} MiB/s   {ours / peer:4.2f} ×"
            )


def run(world: LocalWorld, **given: object) -> Evidence:
    experiment = find_experiment("all-reduce-bytes")
    return world.run(Request(experiment, experiment.bind(given)))


def seconds_of(world: LocalWorld, **given: object) -> float:
    """From asking for a run to having its evidence."""
    began = perf_counter()
    run(world, **given)
    return perf_counter() - began


def under_torchrun(ranks: int) -> float:
    """Seconds of the same run by the launcher, from nothing."""
    command = [sys.executable, "-m", "torch.distributed.run", "--nproc-per-node", str(ranks)]
    command += ["-m", "verify", "run", "all-reduce-bytes", f"ranks={ranks}", "--json"]
    began = perf_counter()
    subprocess.run(
        command, check=True, capture_output=True, env=os.environ | {"OMP_NUM_THREADS": "1"}
    )
    return perf_counter() - began


def bandwidth(world: LocalWorld, payload: int) -> float:
    """Bytes that a rank sends per second of an all-reduce, by the slowest rank."""
    evidence = run(world, ranks=2, payload=payload)
    sent = evidence.quantities["wire_sent"]
    if not isinstance(sent, Measured):
        raise RuntimeError(sent.reason.en)
    taken = max(span.end - span.start for span in evidence.timeline if span.kind == "C")
    return float(sent.values[0].value) / taken


def socket_bandwidth(count: int) -> float:
    """Bytes per second over one TCP connection of the loopback, from one thread to another."""
    with socket.create_server(("127.0.0.1", 0)) as server:
        sender = threading.Thread(target=_send, args=(server.getsockname(), count))
        sender.start()
        receiver, _ = server.accept()
        with receiver:
            buffer, left = bytearray(BLOCK), count
            began = perf_counter()
            while left > 0:
                left -= receiver.recv_into(buffer)
            taken = perf_counter() - began
        sender.join()
    return count / taken


def _send(address: tuple[str, int], count: int) -> None:
    content = bytes(min(BLOCK, count))
    with socket.create_connection(address) as sender:
        for _ in range(count // len(content)):
            sender.sendall(content)

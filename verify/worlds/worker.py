"""What a forked worker does: become a rank, run the experiment, report. Imports torch."""

from __future__ import annotations

import faulthandler
import importlib
import json
import os
import select
import signal
import sys
import threading
import traceback
from dataclasses import dataclass
from datetime import timedelta
from multiprocessing.connection import Connection
from pathlib import Path
from typing import Any

import torch
import torch.distributed as dist

from verify.experiment import Experiment
from verify.probes.timeline import Timeline
from verify.probes.wire import Wire
from verify.worlds.perform import perform
from verify.worlds.rank import Rank


@dataclass(frozen=True)
class Job:
    """All that a worker must know. Crosses to the server as JSON."""

    experiment: str  # module:attribute
    parameters: dict[str, Any]
    ranks: int
    repeats: int
    seed: int
    fault: str | None
    folder: str  # private: rendezvous file and one log per rank
    deadline: float  # seconds
    path: list[str]  # sys.path of the parent


def load(reference: str) -> Experiment:
    """The experiment behind `module:attribute`."""
    module, _, attribute = reference.partition(":")
    experiment = getattr(importlib.import_module(module), attribute)
    if not isinstance(experiment, Experiment):
        raise TypeError(f"{reference} is not an Experiment")
    return experiment


def log_path(folder: str, rank: int) -> Path:
    """Where rank's standard error goes."""
    return Path(folder) / f"rank-{rank}.log"


def work(job: Job, index: int, parent: Connection, barrier: Any) -> None:
    """Run one rank to its end. Never returns."""
    code = 1
    try:
        _settle_in(job, index, parent)
        _run(job, index, parent, barrier)
        code = 0
    except BaseException as error:
        summary = f"{type(error).__name__}: {error}".strip()
        try:
            parent.send(("raised", summary, traceback.format_exc()))
        except OSError:
            pass  # nobody is left to tell
        barrier.abort()
    finally:
        # No interpreter shutdown: it would wait for gloo's threads, which may be stuck.
        os._exit(code)


def _settle_in(job: Job, index: int, parent: Connection) -> None:
    sys.path[:] = job.path
    log = os.open(log_path(job.folder, index), os.O_WRONLY | os.O_CREAT | os.O_APPEND, 0o600)
    os.dup2(log, 1)
    os.dup2(log, 2)
    faulthandler.register(signal.SIGUSR1, file=log, all_threads=True)
    threading.Thread(target=_end_with, args=(parent,), daemon=True).start()
    torch.set_num_threads(1)


def _end_with(parent: Connection) -> None:
    """Exit as soon as the other end of the pipe closes: whoever asked for this run is gone."""
    poller = select.poll()
    poller.register(parent.fileno(), select.POLLHUP)
    poller.poll()
    os._exit(1)


def _run(job: Job, index: int, parent: Connection, barrier: Any) -> None:
    experiment = load(job.experiment)
    parameters = experiment.Parameters(**job.parameters)
    store = dist.FileStore(str(Path(job.folder) / "rendezvous"), job.ranks)
    store.set_timeout(timedelta(seconds=job.deadline))
    dist.init_process_group(
        "gloo",
        store=dist.PrefixStore("world", store),
        rank=index,
        world_size=job.ranks,
        timeout=timedelta(seconds=job.deadline),
    )

    def step(name: str) -> None:
        parent.send(("step", name))

    step("joined")
    rank = make_rank(
        index,
        job.ranks,
        job.seed,
        job.fault,
        barrier=lambda: barrier.wait(job.deadline) and None,
        store=dist.PrefixStore("exchange", store),
        step=step,
    )
    outcomes = perform(rank, experiment, parameters, job.repeats)
    parent.send(("outcomes", outcomes))
    rank.barrier()  # nobody closes a connection while another rank still reads counters


def make_rank(
    index: int,
    size: int,
    seed: int,
    fault: str | None,
    *,
    barrier: Any,
    store: Any,
    step: Any,
    device: str = "cpu",
) -> Rank:
    """A rank with its probes, for any world that has a barrier and a store."""
    calls = 0

    def exchange(value: Any) -> list[Any]:
        nonlocal calls
        calls += 1
        store.set(f"{calls}/{index}", json.dumps(value))
        return [json.loads(store.get(f"{calls}/{peer}")) for peer in range(size)]

    return Rank(
        index=index,
        size=size,
        seed=seed,
        fault=fault,
        barrier=barrier,
        exchange=exchange,
        step=step,
        wire=Wire(index, size, barrier, exchange),
        timeline=Timeline(index),
        device=device,
    )

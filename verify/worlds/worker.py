"""What a forked worker does: become a rank, run the experiment, report. Imports torch."""

from __future__ import annotations

import faulthandler
import os
import select
import signal
import sys
import threading
import traceback
from collections.abc import Callable
from contextlib import suppress
from datetime import timedelta
from multiprocessing.synchronize import Barrier
from pathlib import Path

import torch
import torch.distributed as dist
from torch._C._distributed_c10d import FileStore

from verify.worlds.channel import Channel
from verify.worlds.exchange import exchange_in
from verify.worlds.failure import summary_of
from verify.worlds.job import Job, load
from verify.worlds.perform import perform
from verify.worlds.rank import Rank, make_rank

_BEYOND_DEADLINE = 30.0  # so that a stall is told by the parent, not by whoever waits for it


def work(job: Job, index: int, parent: Channel, barrier: Barrier) -> None:
    """Run one rank to its end. Never returns."""
    code = 1
    try:
        _settle_in(job, index, parent)
        _run(job, index, parent, barrier)
        code = 0
    except BaseException as error:
        with suppress(OSError):  # nobody may be left to tell
            parent.send(("raised", summary_of(error), traceback.format_exc()))
        barrier.abort()
    finally:
        with suppress(Exception):
            sys.stdout.flush()
            sys.stderr.flush()
        # No interpreter shutdown: it would wait for gloo's threads, which may be stuck.
        os._exit(code)


def _settle_in(job: Job, index: int, parent: Channel) -> None:
    sys.path[:] = job.path
    log = os.open(job.log(index), os.O_WRONLY | os.O_CREAT | os.O_APPEND, 0o600)
    os.dup2(log, 1)
    os.dup2(log, 2)
    faulthandler.enable(file=log)
    faulthandler.register(signal.SIGUSR1, file=log, all_threads=False)
    threading.Thread(target=_end_with, args=(parent,), daemon=True).start()
    torch.set_num_threads(1)


def _end_with(parent: Channel) -> None:
    """Exit as soon as the other end closes: whoever asked for this run is gone."""
    signal.pthread_sigmask(signal.SIG_BLOCK, {signal.SIGUSR1})  # the stack asked for is main's
    poller = select.poll()
    poller.register(parent.fileno(), select.POLLHUP)
    poller.poll()
    os._exit(1)


def _run(job: Job, index: int, parent: Channel, barrier: Barrier) -> None:
    experiment = load(job.experiment)
    parameters = experiment.Parameters(**job.parameters)

    def step(name: str) -> None:
        parent.send(("step", name))

    rank = _count_for(job, step) if job.pretended else _join(job, index, barrier, step)
    parent.send(("outcomes", perform(rank, experiment, parameters, job.repeats)))


def _count_for(job: Job, step: Callable[[str], None]) -> Rank:
    from verify.worlds.fake import NOTHING_SENT, join

    assert job.pretended is not None
    return make_rank(
        join(job.pretended),
        job.pretended,
        job.seed,
        job.fault,
        barrier=lambda: None,
        exchange=lambda value: [value],
        step=step,
        device="meta",
        unseen=NOTHING_SENT,
    )


def _join(job: Job, index: int, barrier: Barrier, step: Callable[[str], None]) -> Rank:
    patience = job.deadline + _BEYOND_DEADLINE
    store = FileStore(str(job.rendezvous), job.ranks)
    store.set_timeout(timedelta(seconds=patience))
    dist.init_process_group(
        "gloo",
        store=store,
        rank=index,
        world_size=job.ranks,
        timeout=timedelta(seconds=patience),
    )

    def meet() -> None:
        barrier.wait(patience)

    step("joined")
    return make_rank(
        index,
        job.ranks,
        job.seed,
        job.fault,
        barrier=meet,
        exchange=exchange_in(Path(job.folder), index, job.ranks, meet),
        step=step,
    )

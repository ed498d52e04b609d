"""The torchrun world: the same experiments where a launcher started the ranks, on one host or many.

Every rank runs its part and tells through the launcher's store what became of it; rank 0 gathers,
judges and speaks for all. Whoever reaches the launcher's port may write to that store, so what
ranks tell each other is JSON, checked when it is read.
"""

from __future__ import annotations

import atexit
import itertools
import json
import math
import os
import sys
import time
import traceback
from collections.abc import Mapping
from contextlib import suppress
from datetime import UTC, datetime, timedelta
from typing import TYPE_CHECKING, Never

from verify.environment import describe
from verify.errors import RunFailed, UsageError
from verify.evidence import Evidence, WorldFacts
from verify.text import Text, printable, verbatim
from verify.worlds.failure import Fate, explain
from verify.worlds.member import BROKEN, Member, prefixed
from verify.worlds.perform import curves, gather
from verify.worlds.request import Request
from verify.worlds.timeline import align

if TYPE_CHECKING:
    from torch._C._distributed_c10d import Store

_LOOK_SECONDS = 0.05
_WORD_SECONDS = 3.0  # for the last rank to tell what became of it
_SPEAK_SECONDS = 3.0  # for rank 0 to print and end; the launcher then ends the others
_JOIN_SECONDS = 120.0

_runs = itertools.count()  # a sweep makes several runs in one world


def under_torchrun(environment: Mapping[str, str]) -> bool:
    """Whether torchrun started this process as one rank of a world."""
    wanted = ("TORCHELASTIC_RUN_ID", "RANK", "WORLD_SIZE", "MASTER_ADDR", "MASTER_PORT")
    return all(name in environment for name in wanted)


def speaks(environment: Mapping[str, str]) -> bool:
    """Whether this process prints, errors too: of a world, rank 0 alone does."""
    return not under_torchrun(environment) or environment["RANK"] == "0"


def run_here(request: Request, backend: str | None = None) -> Evidence | None:
    """Take part in a run as the rank that torchrun made this process; evidence on rank 0 alone.

    Collective. Raises on every rank: UsageError where the world isn't of the size that the
    parameters ask for, RunFailed where a rank fails; rank 0's names the rank and the reason, and it
    is the only one worth printing.
    """
    index = int(os.environ["RANK"])
    if request.counts_only:
        _refuse_fake(index)
    if int(os.environ["WORLD_SIZE"]) != request.ranks:
        _refuse(index, request)
    started, at = time.monotonic(), datetime.now(UTC)
    backend = backend or _default_backend(request)
    device = f"cuda:{os.environ.get('LOCAL_RANK', '0')}" if backend == "nccl" else "cpu"
    run = f"proofdeck/{next(_runs)}"
    try:
        store, watching = (prefixed(run, _launcher_store()) for _ in range(2))
        member = Member(store, watching, request, index, device)
    except Exception as error:  # of torch, or of whatever else was found on the store
        raise _not_met(error) from error
    fate = member.run(backend)
    try:
        if index > 0:
            _obey_rank_0(store, fate, request)
            return None
        fates = _collect(store, fate, request)
        if any(fate.outcomes is None for fate in fates):
            raise explain(fates, request.allowed_seconds)
        ranks = [fate.outcomes or [] for fate in fates]
        quantities = gather(request.experiment, request.parameters, ranks)
        store.set("verdict", "fine")
    except RunFailed:
        with suppress(Exception):
            store.set("verdict", "failed")
        atexit.register(_leave_at_once)
        raise
    import torch

    return Evidence(
        experiment=request.experiment.name,
        parameters=dict(request.values),
        quantities=quantities,
        world=WorldFacts(
            ranks=request.ranks,
            hosts=len(set(member.hosts)),
            backend=backend,
            device=device.partition(":")[0],
            launcher="torchrun",
        ),
        environment=describe(torch.__version__, request.experiment),
        seed=member.rank.seed,
        seconds=time.monotonic() - started,
        at=at.isoformat(timespec="seconds"),
        fault=request.fault,
        timeline=align([rank[-1].spans for rank in ranks]),
        curves=curves(ranks),
    )


def _refuse_fake(index: int) -> Never:
    if index > 0:
        time.sleep(_SPEAK_SECONDS)
    raise UsageError(
        Text(
            ja="world=fake は 1 プロセスで数えるので、torchrun の下では使えません。",
            en="world=fake counts in one process, so it isn't possible under torchrun.",
        ),
        Text(
            ja="torchrun なしで起動してください: python -m verify run …",
            en="Start it without torchrun: python -m verify run …",
        ),
    )


def _refuse(index: int, request: Request) -> Never:
    if index > 0:
        time.sleep(_SPEAK_SECONDS)  # the first rank to end would take rank 0 with it
    given, wanted = os.environ["WORLD_SIZE"], request.ranks
    raise UsageError(
        Text(
            ja=f"{request.experiment.name} に必要なランク数は {wanted} ですが、"
            f"この world のランク数は {given} です。",
            en=f"{request.experiment.name} needs {wanted} ranks here, but this world has {given}.",
        ),
        Text(
            ja=f"torchrun --nproc-per-node {wanted} で起動するか、パラメータを変えてください。",
            en=f"Start it with torchrun --nproc-per-node {wanted}, or change the parameters.",
        ),
    )


def _not_met(error: Exception) -> RunFailed:
    atexit.register(_leave_at_once)
    said = (str(error).splitlines() or [""])[0]
    return RunFailed(
        Text(
            ja=f"{_JOIN_SECONDS:g} 秒以内に全ランクが起動元のストアに集まりませんでした。",
            en=f"the ranks didn't all meet on the launcher's store within {_JOIN_SECONDS:g} s.",
        ),
        verbatim(printable(f"{type(error).__name__}: {said}")[:300]),
        traceback=traceback.format_exc(),
    )


def _default_backend(request: Request) -> str:
    """`nccl` where the experiment can use it and each rank of this host has a GPU, else `gloo`."""
    import torch

    ranks_here = int(os.environ.get("LOCAL_WORLD_SIZE", "1"))
    enough = torch.cuda.device_count() >= ranks_here
    return "nccl" if enough and request.experiment.on_device else "gloo"


def _launcher_store() -> Store:
    """The store that torchrun's agent keeps for its ranks."""
    from torch.distributed.rendezvous import rendezvous

    found: tuple[Store, int, int] = next(
        rendezvous("env://", timeout=timedelta(seconds=_JOIN_SECONDS))
    )
    return found[0]


def _obey_rank_0(store: Store, fate: Fate, request: Request) -> None:
    """Tell rank 0 what became of this rank, and hear whether all is well."""
    store.set(f"fate/{fate.rank}", json.dumps(fate.to_json()))
    verdict = b"failed"
    with suppress(Exception):  # rank 0 is gone, or never says
        store.wait(["verdict"], timedelta(seconds=request.allowed_seconds + 2 * _WORD_SECONDS))
        verdict = store.get("verdict")
    if verdict != b"fine":
        time.sleep(_SPEAK_SECONDS)
        raise explain([fate], request.allowed_seconds)


def _collect(store: Store, own: Fate, request: Request) -> list[Fate]:
    """What became of every rank. One that says nothing in time has vanished."""
    fates = {own.rank: own}
    bound = time.monotonic() + request.allowed_seconds + _WORD_SECONDS
    broken = False
    while len(fates) < request.ranks and time.monotonic() < bound:
        for rank in set(range(request.ranks)) - set(fates):
            if store.check([f"fate/{rank}"]):
                fates[rank] = _told(rank, store.get(f"fate/{rank}"), request.times)
        unwell = any(fate.outcomes is None for fate in fates.values())
        if not broken and (unwell or store.check([BROKEN])):
            broken = True
            bound = min(bound, time.monotonic() + _WORD_SECONDS)
        time.sleep(_LOOK_SECONDS)
    for rank in set(range(request.ranks)) - set(fates):
        fates[rank] = Fate(rank)
        fates[rank].ended(None, at=math.inf)
    return [fates[rank] for rank in range(request.ranks)]


def _told(rank: int, record: bytes, times: int) -> Fate:
    """A rank's own account; one that isn't of the form is a failure of that rank."""
    try:
        fate = Fate.from_json(rank, json.loads(record))
        if fate.outcomes is not None and len(fate.outcomes) != times:
            raise ValueError(f"{len(fate.outcomes)} outcomes of {times}")
        return fate
    except (ValueError, KeyError, TypeError, RecursionError) as error:
        fate = Fate(rank)
        fate.raised(f"{type(error).__name__}: {error}", "", at=math.inf)
        return fate


def _leave_at_once() -> None:
    """An orderly shutdown would wait for gloo's threads, which may be stuck in a broken world."""
    sys.stdout.flush()
    sys.stderr.flush()
    os._exit(RunFailed.exit_code)

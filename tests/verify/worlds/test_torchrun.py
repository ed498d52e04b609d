"""The torchrun world, with a real torchrun where it matters."""

from __future__ import annotations

import json
import os
import socket
import subprocess
import sys
import time

import pytest

from verify.catalogue import find_experiment
from verify.probes.wire import NOT_TCP
from verify.worlds.member import Member
from verify.worlds.request import Request
from verify.worlds.torchrun import _default_backend, speaks, under_torchrun

SENT = 6_293_184  # 4 MiB over 4 ranks; the arithmetic is in test_local.py

SCRIPT = """
import importlib, os, sys
from verify.errors import ProofdeckError
from verify.worlds.request import Request
from verify.worlds.torchrun import run_here, speaks

experiment = importlib.import_module(sys.argv[1]).experiment
request = Request(experiment, experiment.Parameters(), deadline=float(sys.argv[2]))
try:
    evidence = run_here(request)
    if evidence is not None:
        print("EVIDENCE", [float(i.value) for i in evidence.quantities["answer"].values])
except ProofdeckError as error:
    if speaks(os.environ):
        print("SAID", error.render("en"), getattr(error, "traceback", ""))
    sys.exit(error.exit_code)
"""


def environment(**more):
    return os.environ | {"PYTHONPATH": os.pathsep.join(filter(None, sys.path))} | more


def torchrun(ranks, *arguments):
    return subprocess.run(
        [sys.executable, "-m", "torch.distributed.run", "--nproc-per-node", str(ranks), *arguments],
        env=environment(),
        capture_output=True,
        text=True,
        timeout=120,
        check=False,
    )


def as_rank(index, size):
    return {
        "TORCHELASTIC_RUN_ID": "none",
        "RANK": str(index),
        "WORLD_SIZE": str(size),
        "MASTER_ADDR": "127.0.0.1",
        "MASTER_PORT": "1",
    }


def test_who_is_under_torchrun_and_who_speaks():
    assert under_torchrun(as_rank(0, 2))
    assert not under_torchrun({"RANK": "0", "WORLD_SIZE": "2"})
    assert not under_torchrun({})
    assert [speaks(as_rank(rank, 2)) for rank in range(2)] == [True, False]
    assert speaks({})


def test_a_world_of_the_wrong_size_exits_2_and_rank_0_says_so(module):
    name = module("return FINE")
    results = []
    for index in range(2):
        results.append(
            subprocess.Popen(
                [sys.executable, "-c", SCRIPT, name, "30"],
                env=environment(**as_rank(index, 3)),
                stdout=subprocess.PIPE,
                text=True,
            )
        )
    said = [process.communicate(timeout=30)[0] for process in results]
    assert [process.returncode for process in results] == [2, 2]
    assert said[0].startswith("SAID throw-away needs 2 ranks here, but this world has 3.\n")
    assert said[1] == ""


@pytest.mark.slow
def test_the_same_bytes_as_locally():
    done = torchrun(4, "-m", "verify", "run", "all-reduce-bytes", "payload=4 MiB", "--json")
    assert done.returncode == 0, done.stderr
    record = json.loads(done.stdout)
    assert record["quantities"]["wire_sent"]["per_rank"] == [SENT] * 4
    assert record["quantities"]["wire_sent"]["source"] == "measured"
    assert record["world"] == {
        "ranks": 4, "hosts": 1, "backend": "gloo", "device": "cpu", "launcher": "torchrun",
    }  # fmt: skip


@pytest.mark.slow
@pytest.mark.parametrize(
    ("body", "said"),
    [
        (
            "meet()\nif rank.index == 1: raise ValueError('on purpose')\nmeet()\nreturn FINE",
            "SAID rank 1 raised ValueError: on purpose\n  last step: running",
        ),
        (
            "if rank.index == 1: time.sleep(1000)\nmeet()\nreturn FINE",
            "SAID rank 1 stalled: no result within the deadline of 2 s.\n  last step: running",
        ),
    ],
    ids=["raises", "stalls"],
)
def test_a_rank_that_breaks_ends_all(body, said, module):
    started = time.monotonic()
    done = torchrun(2, "--no-python", sys.executable, "-c", SCRIPT, module(body), "2")
    assert time.monotonic() - started < 60
    assert done.returncode == 1
    assert done.stdout.startswith(said), done.stdout + done.stderr
    assert done.stdout.count("SAID") == 1
    assert "in run" in done.stdout


@pytest.mark.parametrize(
    ("name", "gpus", "backend"),
    [
        ("pipeline-bubble", 0, "gloo"),
        ("pipeline-bubble", 1, "gloo"),
        ("pipeline-bubble", 2, "nccl"),
        ("all-reduce-bytes", 2, "gloo"),  # its tensors are the processor's
    ],
)
def test_the_backend_is_chosen_from_what_is_there(name, gpus, backend, monkeypatch):
    monkeypatch.setattr("torch.cuda.device_count", lambda: gpus)
    monkeypatch.setenv("LOCAL_WORLD_SIZE", "2")
    experiment = find_experiment(name)
    assert _default_backend(Request(experiment, experiment.bind({}))) == backend


def test_what_a_gpu_sends_is_unmeasured(monkeypatch):
    """Also where the kernel's counters say nothing because nothing passes through TCP."""
    from torch.distributed import HashStore

    experiment = find_experiment("all-reduce-bytes")
    request = Request(experiment, experiment.bind({"ranks": 2}))
    unmeasured = []
    for device in ("cpu", "cuda:0"):
        store = HashStore()
        store.set("greet/1/1", json.dumps([socket.gethostname(), 1]))  # the other rank's
        member = Member(store, store, request, 0, device)
        monkeypatch.setattr(member.rank.wire, "_barrier", lambda: None)
        monkeypatch.setattr(member.rank.wire, "_exchange", lambda value: [value, []])
        with member.rank.wire.window() as window:
            pass
        unmeasured.append(window.unmeasured and window.unmeasured.reason)
    assert unmeasured == [None, NOT_TCP]


@pytest.mark.slow
def test_a_fake_world_is_refused_under_torchrun():
    done = torchrun(2, "-m", "verify", "run", "model-traffic")
    assert done.returncode != 0
    assert "counts in one process" in done.stderr or "1 プロセスで数える" in done.stderr

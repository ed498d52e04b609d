"""Whatever a rank does, the run ends in time, names the rank and the reason, and leaves nothing."""

from __future__ import annotations

import os
import time
from pathlib import Path

import pytest

from verify.errors import RunFailed, UsageError

pytestmark = pytest.mark.skipif(not Path("/proc/self").is_dir(), reason="reads /proc")

RAISED_AT_IMPORT = """
if os.getpid() != PARENT:
    raise ImportError("no such luck")
"""
# A pipeline of one layer a rank; what rank 1's layer does goes in between.
PIPELINE = """
from verify.parallel.pipeline import Pipeline, Problem
from verify.pipelines import SCHEDULES
problem = Problem.draw(rank.size, 8, 4, rank.seed, "cpu")
pipeline = Pipeline.build(SCHEDULES["1f1b"], problem, 4, rank=rank.index, ranks=rank.size)
pipeline.warm_up(problem)
def break_off(*_):
"""
STEP = """
if rank.index == 1: pipeline.stages[0].submod.register_forward_hook(break_off)
pipeline.step(problem)
return FINE
"""
BROKEN = {
    # What rank 1 of 3 does, and what is said about it.
    "before a collective": (
        "if rank.index == 1: raise ValueError('on purpose')\nmeet()\nreturn FINE",
        "rank 1 raised ValueError: on purpose",
    ),
    "between collectives": (
        "meet()\nif rank.index == 1: raise ValueError('on purpose')\nmeet()\nreturn FINE",
        "rank 1 raised ValueError: on purpose",
    ),
    "while others wait at a barrier": (
        "if rank.index == 1: raise ValueError('on purpose')\nrank.barrier()\nreturn FINE",
        "rank 1 raised ValueError: on purpose",
    ),
    "while others exchange": (
        "if rank.index == 1: raise ValueError('on purpose')\nrank.exchange(1)\nreturn FINE",
        "rank 1 raised ValueError: on purpose",
    ),
    "inside a collective": (
        "import torch.distributed as dist\n"
        "if rank.index == 1: dist.all_reduce('no tensor')\nmeet()\nreturn FINE",
        "rank 1 raised TypeError: Invalid function argument.",
    ),
    "exits": (
        "if rank.index == 1: os._exit(3)\nmeet()\nreturn FINE",
        "rank 1 ended without a result (exit code 3).",
    ),
    "exits well, without a result": (
        "if rank.index == 1: os._exit(0)\nmeet()\nreturn FINE",
        "rank 1 ended without a result (exit code 0).",
    ),
    "sys.exit": (
        "if rank.index == 1: sys.exit(3)\nmeet()\nreturn FINE",
        "rank 1 raised SystemExit: 3",
    ),
    "killed": (
        "if rank.index == 1: os.kill(os.getpid(), signal.SIGKILL)\nmeet()\nreturn FINE",
        "rank 1 ended without a result (signal SIGKILL).",
    ),
    "crashes": (
        "if rank.index == 1: os.kill(os.getpid(), signal.SIGSEGV)\nmeet()\nreturn FINE",
        "rank 1 ended without a result (signal SIGSEGV).",
    ),
    "killed between collectives": (
        "meet()\nif rank.index == 1: os.kill(os.getpid(), signal.SIGKILL)\nmeet()\nreturn FINE",
        "rank 1 ended without a result (signal SIGKILL).",
    ),
    "killed inside a collective": (
        "import torch, torch.distributed as dist\n"
        "if rank.index == 1: threading.Timer(0.2, os.kill, (os.getpid(), signal.SIGKILL)).start()\n"
        "while True: dist.all_reduce(torch.ones(100_000))",
        "rank 1 ended without a result (signal SIGKILL).",
    ),
    "a tensor of another shape": (
        "import torch, torch.distributed as dist\n"
        "dist.all_reduce(torch.ones(999 if rank.index == 1 else 1000))\nmeet()\nreturn FINE",
        "rank 1 ended without a result (signal SIGABRT).",  # gloo, of a message too long
    ),
    "raises in a pipeline step": (
        PIPELINE + "    raise ValueError('on purpose')\n" + STEP,
        "rank 1 raised ValueError: on purpose",
    ),
    "exits in a pipeline step": (
        PIPELINE + "    os._exit(3)\n" + STEP,
        "rank 1 ended without a result (exit code 3).",
    ),
    "undeclared quantity": (
        "return FINE | ({'mystery': FINE['answer']} if rank.index == 1 else {})",
        "experiment throw-away: rank 1 did not yield exactly the declared quantities "
        "(undeclared: mystery).",
    ),
    "missing quantity": (
        "return {} if rank.index == 1 else FINE",
        "experiment throw-away: rank 1 did not yield exactly the declared quantities "
        "(missing: answer).",
    ),
    "not a number": (
        "return FINE if rank.index != 1 else {'answer': Reading(float('nan'), Source.MEASURED)}",
        "experiment throw-away: rank 1 yielded answer, which is not a Reading of 1 finite number:",
    ),
    "no reading": (
        "return FINE if rank.index != 1 else {'answer': 'forty-two'}",
        "experiment throw-away: rank 1 yielded answer, which is not a Reading of 1 finite "
        "number: forty-two",
    ),
    "no readings": (
        "return None if rank.index == 1 else FINE",
        "rank 1 raised TypeError: run returned NoneType, not a dict of readings",
    ),
}


def open_handles():
    return len(list(Path("/proc/self/fd").iterdir()))


@pytest.mark.parametrize(("body", "said"), BROKEN.values(), ids=BROKEN.keys())
def test_the_rank_and_the_reason_are_named(
    body, said, world, request_for, folders, servers, children
):
    request = request_for(body, ranks=3, deadline=30)
    world.warm()
    handles = open_handles()
    started = time.monotonic()
    with pytest.raises(RunFailed) as caught:
        world.run(request)
    assert time.monotonic() - started < 20, "broken off before the deadline"
    assert str(caught.value).startswith(said)
    assert caught.value.rank == 1
    assert caught.value.message.ja.startswith(("ランク 1", "実験 throw-away: ランク 1"))
    assert folders() == []
    assert all(children(server) == [] for server in servers(os.getpid()))
    assert open_handles() == handles


def test_a_module_that_cannot_be_imported_there(world, request_for):
    with pytest.raises(RunFailed, match=r"rank \d raised ImportError: no such luck") as caught:
        world.run(request_for("return FINE", RAISED_AT_IMPORT))
    assert "throw_away" in caught.value.traceback


def test_the_traceback_and_the_last_step_of_the_rank_come_along(world, request_for):
    body = "rank.step('thinking')\nif rank.index == 1: raise ValueError('a\\x1b[2Jb')\nmeet()"
    with pytest.raises(RunFailed) as caught:
        world.run(request_for(body))
    assert "in run" in caught.value.traceback
    assert caught.value.hint.en == "last step: thinking"
    assert "\x1b" not in str(caught.value)


@pytest.mark.parametrize(
    ("end", "said"),
    [
        ("os._exit(3)", r"rank \d ended without a result \(exit code 3\)\."),
        ("os.kill(os.getpid(), signal.SIGKILL)", r"rank \d ended .* \(signal SIGKILL\)\."),
        ("time.sleep(1000)", r"rank \d stalled: no result within the deadline of 2 s\."),
    ],
)
def test_an_end_before_the_rendezvous(end, said, world, request_for, folders, servers, children):
    top = f"if os.getpid() != PARENT: {end}"
    with pytest.raises(RunFailed, match=said) as caught:
        world.run(request_for("return FINE", top, deadline=2))
    assert caught.value.hint.en == "last step: not started"
    assert folders() == []
    assert all(children(server) == [] for server in servers(os.getpid()))


def test_a_stall_in_a_pipeline_step_is_named(world, request_for):
    body = PIPELINE + "    time.sleep(1000)\n" + STEP
    with pytest.raises(RunFailed, match="rank 1 stalled: no result within the deadline of 3 s"):
        world.run(request_for(body, ranks=3, deadline=3))


def test_a_rank_that_forgets_to_reduce_is_noticed_by_the_deadline(world, request_for):
    body = "if rank.index != 1: meet()\nreturn FINE"
    with pytest.raises(RunFailed, match=r"rank \d stalled: no result within the deadline of 2 s"):
        world.run(request_for(body, ranks=3, deadline=2))


@pytest.mark.parametrize("waiting", ["meet()", "rank.barrier()", "rank.exchange(rank.index)"])
def test_of_ranks_that_wait_for_each_other_the_one_that_stalls_is_named(
    waiting, world, request_for, folders, servers, children
):
    body = f"if rank.index == 2: time.sleep(1000)\n{waiting}\nreturn FINE"
    request = request_for(body, ranks=4, deadline=1.5)
    started = time.monotonic()
    with pytest.raises(RunFailed) as caught:
        world.run(request)
    assert time.monotonic() - started < 8
    assert str(caught.value) == "rank 2 stalled: no result within the deadline of 1.5 s."
    assert caught.value.rank == 2
    assert caught.value.hint.en == "last step: running"
    assert "in run" in caught.value.traceback
    assert "throw_away" in caught.value.traceback
    assert folders() == []
    assert all(children(server) == [] for server in servers(os.getpid()))


def test_a_stopped_rank_is_named_and_ended(world, request_for, servers, children):
    body = "if rank.index == 1: os.kill(os.getpid(), signal.SIGSTOP)\nmeet()\nreturn FINE"
    with pytest.raises(RunFailed, match="rank 1 stalled"):
        world.run(request_for(body, deadline=1.5))
    assert all(children(server) == [] for server in servers(os.getpid()))


def test_what_happens_after_the_result_does_not_matter(
    world, request_for, folders, servers, children
):
    body = """
        import types
        threading.Thread(target=time.sleep, args=(1000,)).start()  # would hold up a shutdown
        if rank.index == 1:
            def stop():  # called once the result is on its way
                os.kill(os.getpid(), signal.SIGSTOP)

            sys.stdout = types.SimpleNamespace(flush=stop)
        return FINE
    """
    evidence = world.run(request_for(body, deadline=20))
    assert evidence.seconds < 10
    assert folders() == []
    assert all(children(server) == [] for server in servers(os.getpid()))


def test_a_run_after_failures_is_fine(world, request_for):
    with pytest.raises(RunFailed):
        world.run(request_for("os._exit(1)"))
    evidence = world.run(request_for("meet()\nreturn FINE", ranks=3))
    assert [interval.value for interval in evidence.quantities["answer"].values] == [42] * 3


def test_an_experiment_apart_from_its_run_is_refused(world, request_for, folders):
    import dataclasses

    request = request_for("return FINE")
    renamed = dataclasses.replace(request.experiment, name="another")
    with pytest.raises(UsageError, match="another"):
        world.run(dataclasses.replace(request, experiment=renamed))
    assert folders() == []

"""From fates to the cause: pure, with made-up fates."""

from __future__ import annotations

import signal

import pytest

from verify.worlds.failure import Fate, explain, summary_of

GLOO = (
    "RuntimeError: [../third_party/gloo/gloo/transport/tcp/pair.cc:538] Connection closed by peer"
)
STACK = 'Current thread 0x00007f (most recent call first):\n  File "{file}", line 5 in {name}\n'


def fates(count):
    return [Fate(rank) for rank in range(count)]


def test_a_cause_outranks_the_consequences_that_were_heard_first():
    ranks = fates(3)
    ranks[0].raised(GLOO, "", 1.0)
    ranks[2].raised("BrokenBarrierError", "", 2.0)
    ranks[1].raised("ValueError: on purpose", "its traceback", 3.0)
    failure = explain(ranks, 10)
    assert (failure.rank, failure.traceback) == (1, "its traceback")


def test_a_rank_that_was_killed_outranks_those_that_noticed():
    ranks = fates(2)
    ranks[0].raised(GLOO, "", 1.0)
    ranks[1].ended(-signal.SIGKILL, 2.0)
    assert str(explain(ranks, 10)) == "rank 1 ended without a result (signal SIGKILL)."


def test_of_two_causes_the_first_is_named():
    ranks = fates(2)
    ranks[1].raised("KeyError: 'a'", "", 1.0)
    ranks[0].raised("ValueError: later", "", 2.0)
    assert explain(ranks, 10).rank == 1


def test_where_there_are_only_consequences_the_first_is_named():
    ranks = fates(3)
    ranks[2].raised(GLOO, "", 1.0)
    ranks[0].raised(GLOO, "", 2.0)
    assert explain(ranks, 10).rank == 2


def test_a_rank_that_told_why_has_not_vanished():
    fate = Fate(0)
    fate.raised("ValueError: x", "", 1.0)
    fate.ended(1, 2.0)
    assert not fate.vanished


def test_a_rank_that_delivered_may_leave_but_not_crash():
    fine, crashed = fates(2)
    fine.outcomes = crashed.outcomes = []
    fine.ended(0, 1.0)
    crashed.ended(-signal.SIGSEGV, 1.0)
    assert (fine.failed, crashed.failed) == (False, True)


@pytest.mark.parametrize(
    ("file", "name"),
    [
        ("/x/torch/distributed/distributed_c10d.py", "all_reduce"),
        ("/x/torch/distributed/pipelining/schedules.py", "_wait_batch_p2p"),
        ("/x/torch/nn/parallel/distributed.py", "_run_ddp_forward"),
        ("/x/torch/autograd/graph.py", "_engine_run_backward"),
        ("/x/multiprocessing/synchronize.py", "wait"),
        ("/x/verify/worlds/exchange.py", "exchange"),
        ("/x/verify/worlds/member.py", "meet"),
    ],
)
def test_of_stalled_ranks_one_that_waits_for_others_is_not_blamed(file, name):
    ranks = fates(3)
    for rank in ranks:
        rank.reached("running")
        rank.log = STACK.format(file=file, name=name)
    ranks[2].reached("one step more")
    ranks[2].log = STACK.format(file="/x/mine.py", name="run")
    failure = explain(ranks, 1.5)
    assert failure.rank == 2
    assert failure.hint.en == "last step: one step more"


def test_of_ranks_that_all_wait_the_furthest_behind_is_named():
    ranks = fates(3)
    for rank, steps in zip(ranks, (4, 3, 2), strict=True):
        for step in range(steps):
            rank.reached(f"step {step}")
    ranks[2].outcomes = []
    assert explain(ranks, 1.5).rank == 1


def test_messages_reach_the_terminal_without_control_characters():
    (fate,) = fates(1)
    fate.reached("\x1b]0;title\x07")
    fate.raised("ValueError: \x1b[2J\nsecond line", "", 1.0)
    for language in ("ja", "en"):
        shown = explain([fate], 1).render(language)
        assert "\x1b" not in shown
        assert "second line" not in shown


def test_an_exit_by_a_signal_without_a_name():
    (fate,) = fates(1)
    fate.ended(-40, 1.0)
    assert "signal 40" in str(explain([fate], 1))


def test_the_exception_behind_others_is_named():
    outer = RuntimeError("\n  a stage failed")
    assert summary_of(outer) == "RuntimeError: a stage failed"
    outer.__cause__ = ValueError("on purpose")
    assert summary_of(outer) == "ValueError: on purpose"
    assert summary_of(KeyboardInterrupt()) == "KeyboardInterrupt"

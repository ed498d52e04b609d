"""What is known of schedules without torch, against torch itself under a fake process group."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager
from fractions import Fraction
from typing import Any

import pytest

from verify.pipelines import SCHEDULES, PipelineSchedule
from verify.probes.replay import Operation, held, replay

torch = pytest.importorskip("torch")

VIRTUAL = [s for s in SCHEDULES.values() if s.virtual == 2]
GRID = [(2, 4), (4, 8), (4, 16)]


@contextmanager
def torchs(plan: PipelineSchedule, ranks: int, microbatches: int) -> Iterator[Any]:
    """Torch's own schedule object as rank 0 of a world that doesn't exist. Raises ValueError."""
    from torch import distributed
    from torch.distributed.pipelining import PipelineStage
    from torch.distributed.pipelining.schedules import get_schedule_class
    from torch.testing._internal.distributed.fake_pg import FakeStore

    distributed.init_process_group("fake", rank=0, world_size=ranks, store=FakeStore())
    try:
        stages = [
            PipelineStage(torch.nn.Identity(), i, plan.virtual * ranks, torch.device("cpu"))
            for i in plan.stages_of(0, ranks)
        ]
        yield get_schedule_class(plan.torch_name)(
            stages[0] if plan.virtual == 1 else stages, microbatches, loss_fn=lambda x, _: x
        )
    finally:
        distributed.destroy_process_group()


def predicted(plan: PipelineSchedule, ranks: int, microbatches: int) -> list[list[Operation]]:
    """The order of operations that torch says it will run."""
    with torchs(plan, ranks, microbatches) as schedule:
        return [
            [
                Operation.parse(str(part))
                for action in schedule.pipeline_order[rank]
                if action is not None
                for part in action.sub_actions or (action,)
            ]
            for rank in range(ranks)
        ]


@pytest.mark.parametrize(("p", "m"), GRID)
@pytest.mark.parametrize("plan", VIRTUAL, ids=lambda plan: plan.name)
def test_torchs_orders_have_the_bubbles_of_their_papers(
    plan: PipelineSchedule, p: int, m: int
) -> None:
    # Narayanan et al. 2021: (p−1)/(vm+p−1); Qi et al. 2023: (p−1)/(3vm+p−1); here v = 2.
    work = 6 * m if "zero" in plan.name or plan.v_shaped else 2 * m
    replayed = replay(predicted(plan, p, m))
    assert replayed.bubble == Fraction(p - 1, work + p - 1)
    assert replayed.length == plan.ideal_length(p, m)


@pytest.mark.parametrize(
    ("name", "expected"),
    [
        ("interleaved-1f1b", [11, 9, 7, 5]),
        ("looped-bfs", [16, 16, 16, 16]),
        ("interleaved-zero-bubble", [8, 8, 8, 8]),
        ("zbv", [8, 8, 8, 8]),
        ("dualpipev", [9, 9, 9, 9]),
    ],
)
def test_half_stages_held_by_four_ranks_with_eight_microbatches(
    name: str, expected: list[int]
) -> None:
    assert [held(row) for row in predicted(SCHEDULES[name], 4, 8)] == expected


def test_zbv_needs_twice_as_many_microbatches_as_ranks_for_its_form() -> None:
    assert replay(predicted(SCHEDULES["zbv"], 4, 4)).bubble == Fraction(1, 5)


@pytest.mark.parametrize("plan", SCHEDULES.values(), ids=lambda plan: plan.name)
@pytest.mark.parametrize("m", [1, 3, 4, 7, 8, 9, 10])
def test_what_torch_refuses_is_refused_before_it_starts(plan: PipelineSchedule, m: int) -> None:
    if plan.refuse(4, m) is None:
        with torchs(plan, 4, m):
            return
    if plan.in_rounds and m < 4:
        return  # torch takes these, but the schedule is then not what its name says
    with pytest.raises(ValueError), torchs(plan, 4, m):
        pass


@pytest.mark.parametrize("plan", VIRTUAL, ids=lambda plan: plan.name)
def test_stages_lie_on_the_ranks_as_torch_lays_them(plan: PipelineSchedule) -> None:
    with torchs(plan, 4, 8) as schedule:
        mapping = schedule.stage_index_to_group_rank
    assert mapping == {s: rank for rank in range(4) for s in plan.stages_of(rank, 4)}


@pytest.mark.parametrize(
    ("name", "ranks", "microbatches", "message"),
    [
        ("1f1b", 4, 3, "1f1b needs microbatches ≥ stages = 4, not microbatches=3."),
        ("dualpipev", 4, 7, "dualpipev needs microbatches ≥ 2 × stages = 8, not microbatches=7."),
        (
            "interleaved-1f1b",
            4,
            9,
            "interleaved-1f1b needs microbatches to be a multiple of ⌊microbatches/stages⌋ = 2, "
            "not microbatches=9.",
        ),
    ],
)
def test_a_refusal_names_what_is_needed(
    name: str, ranks: int, microbatches: int, message: str
) -> None:
    reason = SCHEDULES[name].refuse(ranks, microbatches)
    assert reason is not None
    assert reason.en == message
    assert f"microbatches={microbatches}" in (reason.ja or "")

"""Evidence made by hand, so that pictures are tested without starting a world."""

from __future__ import annotations

from collections.abc import Callable
from fractions import Fraction

import pytest

from verify.catalogue import find_experiment
from verify.evidence import Evidence, Span, WorldFacts
from verify.probes.replay import Operation, replay
from verify.quantities import Interval, Measured, Shape, Source, per_rank, scalar
from verify.units import BYTE, MiB

_BOUNDARY = 7680

Made = Callable[..., Evidence]


def make(name: str, quantities: dict[str, Measured], **parameters: object) -> Evidence:
    """Evidence with every declared quantity: those given, the others 0 in their own shape."""
    experiment = find_experiment(name)
    values = experiment.bind(parameters)
    ranks = experiment.world_size(values)
    counts = {Shape.SCALAR: 1, Shape.PER_RANK: ranks, Shape.MATRIX: ranks**2}
    zero = {
        q.name: Measured(q.unit, q.shape, Source.COUNTED, (Interval.point(0),) * counts[q.shape])
        for q in experiment.quantities
    }
    return Evidence(
        name,
        {p.name: getattr(values, p.name) for p in experiment.parameters()},
        zero | quantities,
        WorldFacts(ranks, 1, "gloo", "cpu", "local"),
        {"torch": "2.13.0"},
        1,
        0.25,
        "2026-01-01T00:00:00+00:00",
    )


@pytest.fixture
def ring() -> Made:
    """`ring(ranks=4)`: an all-reduce of 4 MiB that costs what the closed form says."""

    def build(ranks: int = 4, factor: Fraction = Fraction(1)) -> Evidence:
        sent = factor * Fraction(2 * (ranks - 1), ranks) * 4 * MiB
        cells = [
            sent if receiver == (sender + 1) % ranks else Fraction(0)
            for sender in range(ranks)
            for receiver in range(ranks)
        ]
        matrix = Measured(
            BYTE, Shape.MATRIX, Source.MEASURED, tuple(Interval.point(cell) for cell in cells)
        )
        traffic = {
            "wire_sent": per_rank([sent] * ranks, BYTE, Source.MEASURED),
            "wire_received": per_rank([sent] * ranks, BYTE, Source.MEASURED),
            "wire_matrix": matrix,
        }
        return make("all-reduce-bytes", traffic, ranks=ranks)

    return build


@pytest.fixture
def pipeline() -> Made:
    """`pipeline(microbatches=8, wrong=0)`: GPipe on four ranks, replayed in units of 50 ms.

    `wrong` is added to the bubble.
    """

    def build(microbatches: int = 8, wrong: int = 0, wait: int = 0) -> Evidence:
        orders = [
            [Operation.parse(f"{rank}{kind}{m}") for kind in "FB" for m in range(microbatches)]
            for rank in range(4)
        ]
        replayed = replay(orders)
        spans = tuple(
            Span(rank, s.operation.kind, s.operation.stage, s.operation.microbatch,
                 0.05 * s.start, 0.05 * s.end)
            for rank, slots in enumerate(replayed.ranks)
            for s in slots
        )  # fmt: skip
        quantities = {
            "bubble_replay": scalar(replayed.bubble + wrong),
            "bubble_wall": Measured(
                scalar(0).unit, Shape.SCALAR, Source.MEASURED, (Interval(0.27, 0.28, 0.29),)
            ),
            "held": per_rank([microbatches] * 4),
            "boundary": scalar(_BOUNDARY, BYTE),
            "wire_sent": per_rank(
                [Fraction(6 * microbatches * _BOUNDARY, 4)] * 4, BYTE, Source.MEASURED
            ),
        }
        evidence = make("pipeline-bubble", quantities, microbatches=microbatches, wait=wait)
        held = tuple(
            tuple(float(100 * min(i, microbatches - i % microbatches)) for i in range(12))
            for _ in range(4)
        )
        return Evidence(
            **{field: getattr(evidence, field) for field in evidence.__dataclass_fields__}
            | {"timeline": spans, "curves": {"activation": held}}
        )

    return build

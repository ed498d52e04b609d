"""The benchmark of proofs compares what it says with the closed form."""

from __future__ import annotations

from dataclasses import replace
from fractions import Fraction

import pytest

from bench import proofs
from verify.catalogue import experiment_names, find_experiment
from verify.evidence import Evidence, WorldFacts
from verify.quantities import Measured, Shape, Source, per_rank, scalar
from verify.units import BYTE, MiB

DIFFERENCE = "gradient_difference"


def ring(factor: Fraction) -> Evidence:
    """An all-reduce of 4 MiB on 4 ranks, whose bytes are the closed form (6 MiB) times a factor."""
    experiment = find_experiment("all-reduce-bytes")
    zero: dict[str, Measured] = {
        q.name: per_rank([0] * 4, q.unit) if q.shape is Shape.PER_RANK else scalar(0, q.unit)
        for q in experiment.quantities
        if q.shape is not Shape.MATRIX
    }
    sent = per_rank([factor * 6 * MiB] * 4, BYTE, Source.MEASURED)
    matrix = Measured(BYTE, Shape.MATRIX, Source.MEASURED, zero["wire_sent"].values * 4)
    quantities = {**zero, "wire_sent": sent, "wire_received": sent, "wire_matrix": matrix}
    parameters = {"ranks": 4, "payload": 4 * MiB}
    facts = WorldFacts(4, 1, "gloo", "cpu", "local")
    return Evidence(
        experiment.name, parameters, quantities, facts, {}, 1, 0.1, "2026-01-01T00:00:00+00:00"
    )


def test_bytes_are_compared_with_the_law_on_every_rank() -> None:
    # Eight figures: sent against 2(N−1)/N·S, and received against sent.
    off = list(proofs.wire_errors([ring(Fraction(101, 100))]))
    assert off == pytest.approx([0.01] * 4 + [0] * 4)
    small = replace(ring(Fraction(1)), parameters={"ranks": 4, "payload": MiB // 2})
    assert list(proofs.wire_errors([small])) == []


def test_gradients_count_where_the_experiment_computes_in_float64() -> None:
    """As the experiments' docstrings and element sizes say; float32 rounds to 2⁻²⁴ ≈ 6e-8."""
    compared = [e for e in map(find_experiment, experiment_names()) if e.quantity(DIFFERENCE)]
    single = {e.name for e in compared if not proofs.computes_in_float64(e)}
    assert single == {"boundary-activations", "large-batch", "skip-connection"}

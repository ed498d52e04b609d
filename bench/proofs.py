"""Every shipped card proven from nothing; and how far its runs are from the closed forms.

The peer is arithmetic: what each experiment's laws expect of bytes on the wire (of a mebibyte or
more) and of gradients in float64.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from fractions import Fraction
from time import perf_counter

from quiz.deck.library import find_decks, read_decks, shipped_decks
from quiz.proof import CardVerdict, Prover
from verify.catalogue import find_experiment
from verify.claims import names, parse_claim
from verify.claims.tree import Number
from verify.evidence import Evidence
from verify.experiment import Experiment
from verify.laws import judge_laws
from verify.quantities import Measured
from verify.units import BYTE, MiB
from verify.worlds.local import LocalWorld

SECONDS, BYTES, GRADIENTS = 90.0, 0.005, 1e-12  # targets
_SINGLE_ROUNDING = Fraction(1, 2**24)  # half an ulp of 1 in float32 (IEEE 754-2019, binary32)


def main() -> Iterator[str]:
    decks = read_decks(find_decks([str(shipped_decks())], shipped_decks()))
    cards = [card for loaded in decks if loaded.deck for card in loaded.deck.cards]
    began = perf_counter()
    with LocalWorld() as world:
        prover = Prover(world)
        results = [prover.prove(card) for card in cards]
    taken = perf_counter() - began
    proven = sum(result.verdict is CardVerdict.PROVEN for result in results)
    runs = [evidence for evidence in prover.made.values() if evidence.fault is None]
    yield f"{proven} of {len(cards)} cards proven by {len(prover.made)} runs in {taken:.1f} s"
    yield _target(f"{SECONDS:g} s", proven == len(cards) and taken <= SECONDS)
    bytes_off = [*wire_errors(runs)]
    yield f"bytes against closed forms, {len(bytes_off)} figures: {max(bytes_off):.4%} off at most"
    yield _target(f"{BYTES:.1%}", max(bytes_off) <= BYTES)
    gradients = [*gradient_errors(runs)]
    worst = f"{len(gradients)} ranks: {max(gradients):.1e} off at most"
    yield f"gradients in float64 against one process, {worst}"
    yield _target(f"{GRADIENTS:g}", max(gradients) <= GRADIENTS)


def wire_errors(runs: Iterable[Evidence]) -> Iterator[float]:
    """How far each figure of bytes is from what a law of its experiment says, as a share of it."""
    for evidence in runs:
        for law in judge_laws(find_experiment(evidence.experiment), evidence):
            left, right = law.judgement.left, law.judgement.right
            about_wire = any(name.name.startswith("wire_") for name in names(law.claim.left))
            if left is None or right is None or not about_wire or law.claim.comparison != "==":
                continue
            if left.unit != BYTE:
                continue
            expected = right.values * (len(left.values) // len(right.values))
            for measured, formula in zip(left.values, expected, strict=True):
                if formula.value >= MiB:
                    yield abs(float(measured.value / formula.value) - 1)


def gradient_errors(runs: Iterable[Evidence]) -> Iterator[float]:
    """‖g − reference‖∞ / ‖reference‖∞ of each rank, where the experiment computes in float64."""
    for evidence in runs:
        if not computes_in_float64(find_experiment(evidence.experiment)):
            continue
        found = evidence.quantities.get("gradient_difference")
        if isinstance(found, Measured):
            yield from (float(value.value) for value in found.values)


def computes_in_float64(experiment: Experiment) -> bool:
    """Whether a law holds its gradients closer to the reference than float32 can round."""
    claims = [parse_claim(law.claim) for law in experiment.laws]
    return any(
        "gradient_difference" in {name.name for name in names(claim.left)}
        and isinstance(claim.right, Number)
        and claim.right.value < _SINGLE_ROUNDING
        for claim in claims
    )


def _target(limit: str, met: bool) -> str:
    return f"target: at most {limit}: {'met' if met else 'missed'}"

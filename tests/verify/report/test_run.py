"""What `verify run` prints of one run."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace
from fractions import Fraction

from verify.catalogue import find_experiment
from verify.evidence import Evidence
from verify.laws import judge_laws
from verify.report.run import Look, draw

UNNOTICED = {
    "en": "No law here is refuted by this fault.",
    "ja": "ここに挙げた法則は、この故障では崩れません。",
}


def test_a_fault_that_no_law_notices_is_told(ring: Callable[..., Evidence]) -> None:
    experiment = find_experiment("all-reduce-bytes")
    broken, sound = ring(factor=Fraction(2)), ring()
    for evidence, told in (
        (replace(sound, fault="one-element"), True),
        (replace(broken, fault="one-element"), False),
        (sound, False),
    ):
        judged = judge_laws(experiment, evidence)[:2]  # the two about bytes
        for language in ("ja", "en"):
            look = Look(80, "ja" if language == "ja" else "en")
            shown = "\n".join(draw(evidence, experiment, judged, look))
            assert (UNNOTICED[language] in shown) is told

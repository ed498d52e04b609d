"""The page of `verify run`: each run with its laws, its quantities and its pictures."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from importlib.resources import files

from verify.claims import Side, Verdict
from verify.claims.judging import all_of
from verify.evidence import Evidence
from verify.experiment import Experiment
from verify.laws import JudgedLaw, words_of
from verify.quantities import Shape, Unmeasured
from verify.report.html import (
    ClaimPart,
    Entry,
    command_of,
    command_with,
    document,
    filters_of,
    tone_of,
)
from verify.report.ledger import VERDICTS, figure
from verify.report.run import SOURCES, settings
from verify.text import Language, Text, verbatim

_LEAD = Text(
    ja="実際の torch.distributed の実行で測った値を、法則の期待値と並べました。",
    en="What a real torch.distributed run measured, beside what the laws expect.",
)
_TALLY = Text(
    ja="{runs} 回の実行、法則 {laws} 本のうち {confirmed} 本を確認",
    en="Runs: {runs}. Laws: {laws}, of which {confirmed} confirmed.",
)
_VERDICT = Text(ja="判定", en="verdict")
_NO_LAWS = Text(ja="法則なし", en="no law")


@dataclass(frozen=True, slots=True)
class _Row:
    name: str
    value: str
    source: Text
    meaning: Text


@dataclass(frozen=True, slots=True)
class _Run:
    entry: Entry
    said: Text
    evidence: Evidence
    claims: tuple[ClaimPart, ...]
    rows: tuple[_Row, ...]
    command: str


def draw(
    judged: Sequence[tuple[Evidence, Sequence[JudgedLaw]]],
    experiment: Experiment,
    language: Language,
    given: Sequence[str],
    repeat: int | None = None,
) -> str:
    """The page as HTML, opened in `language`.

    `judged` holds at least one run; `given` are the settings as they were typed, and `repeat` how
    often each run was to be repeated, so that the page can say how to make all of it again.
    """
    runs = [
        _run(number, evidence, laws, experiment, repeat)
        for number, (evidence, laws) in enumerate(judged, start=1)
    ]
    entries = [run.entry for run in runs]
    verdicts = [part.verdict for run in runs for part in run.claims]
    return document(
        files("verify.report") / "templates" / "runs.html",
        language,
        title=Text(ja=f"{experiment.name} の証拠", en=f"Evidence: {experiment.name}"),
        lead=_LEAD,
        tally=_TALLY.fill(
            runs=len(runs), laws=len(verdicts), confirmed=verdicts.count(Verdict.CONFIRMED)
        ),
        again=command_with(given, judged[0][0], repeat),
        entries=entries,
        evidence=[run.evidence for run in runs],
        filters=filters_of(
            entries, [("verdict", _VERDICT, {v.value: text for v, text in VERDICTS.items()})]
        ),
        experiment=experiment,
        runs=runs,
    )


def _run(
    number: int,
    evidence: Evidence,
    laws: Sequence[JudgedLaw],
    experiment: Experiment,
    repeat: int | None,
) -> _Run:
    verdict = all_of(law.judgement.verdict for law in laws)
    entry = Entry(
        id=f"run-{number}",
        label=verbatim(settings(evidence, experiment)),
        tone=tone_of(verdict),
        values={"verdict": verdict.value},
    )
    return _Run(
        entry,
        VERDICTS[verdict] if laws else _NO_LAWS,
        evidence,
        tuple(_claim(law, experiment, evidence) for law in laws),
        _rows(evidence, experiment),
        command_of(evidence, repeat),
    )


def _claim(law: JudgedLaw, experiment: Experiment, evidence: Evidence) -> ClaimPart:
    runs: dict[str | None, Experiment] = {None: experiment}
    return ClaimPart(
        law.claim,
        law.judgement,
        law.judgement.verdict,
        tone_of(law.judgement.verdict),
        Text(ja=words_of(law.claim, "ja", runs), en=words_of(law.claim, "en", runs)),
        counted=evidence.world.only_counts,
    )


def _rows(evidence: Evidence, experiment: Experiment) -> tuple[_Row, ...]:
    """Every quantity but the matrices, which are drawn."""
    rows = []
    for declared in experiment.quantities:
        quantity = evidence.quantities[declared.name]
        if isinstance(quantity, Unmeasured):
            rows.append(_Row(declared.name, "–", verbatim(""), quantity.reason))
        elif quantity.shape is not Shape.MATRIX:
            value = figure(Side(quantity.values, quantity.unit, quantity.shape))
            rows.append(_Row(declared.name, value, SOURCES[quantity.source], declared.meaning))
    return tuple(rows)

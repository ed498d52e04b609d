"""The idle share of a pipeline, three ways: the formula, the replay of what ran, the clock."""

from __future__ import annotations

from contextlib import suppress

from verify.catalogue import find_experiment
from verify.claims import Side, Verdict
from verify.claims.tree import Name
from verify.errors import ProofdeckError
from verify.evidence import Evidence
from verify.laws import JudgedLaw, judge_laws
from verify.quantities import Measured
from verify.report.columns import cells, pad, wrap
from verify.report.ledger import VERDICTS
from verify.text import Language, Text

REPLAY, WALL = "bubble_replay", "bubble_wall"

_TITLE = Text(ja="空き / 全体", en="idle / total")
_FORMULA = Text(ja="公式", en="formula")
_NO_FORMULA = Text(ja="この設定には当てはまりません", en="none holds for these parameters")
_WAYS = {
    REPLAY: Text(ja="実際の順序の再現", en="replay of what ran"),
    WALL: Text(ja="時計", en="wall clock"),
}


def draw(evidence: Evidence, width: int, language: Language) -> list[str]:
    """Lines of at most `width` cells; empty where the run has no bubble."""
    readings = {name: evidence.quantities.get(name) for name in _WAYS}
    if not isinstance(readings[REPLAY], Measured):
        return []
    laws = _laws(evidence)
    formula = next((law.judgement.right for law in laws.values()), None)
    rows = [(_FORMULA, str(formula or _NO_FORMULA.pick(language)), "")]
    for name, words in _WAYS.items():
        reading = readings[name]
        if not isinstance(reading, Measured):
            continue
        verdict = laws[name].judgement.verdict if name in laws else None
        value = str(Side(reading.values, reading.unit, reading.shape))
        rows.append((words, value, _said(verdict, language)))
    title = _TITLE.pick(language)
    label = max(cells(words.pick(language)) for words, _, _ in rows)
    value_width = max(cells(value) for _, value, _ in rows)
    if 2 + cells(title) + 3 + label + 3 + value_width + 3 + 10 > width:
        lines = [f"  {title}"]
        for words, value, verdict_word in rows:
            text = "  ".join(filter(None, (words.pick(language), value, verdict_word)))
            lines += wrap(text, width, indent="    ")
        return lines
    lines = []
    for head, (words, value, verdict_word) in zip(
        (title, *([""] * (len(rows) - 1))), rows, strict=True
    ):
        line = f"  {pad(head, cells(title))}   {pad(words.pick(language), label)}"
        lines.append(f"{line}   {pad(value, value_width)}   {verdict_word}".rstrip())
    return lines


def _said(verdict: Verdict | None, language: Language) -> str:
    return "" if verdict is None else VERDICTS[verdict].pick(language)


def _laws(evidence: Evidence) -> dict[str, JudgedLaw]:
    """The laws about the bubble that apply, by quantity; none of an experiment that is gone."""
    with suppress(ProofdeckError):
        return {
            law.claim.left.name: law
            for law in judge_laws(find_experiment(evidence.experiment), evidence)
            if isinstance(law.claim.left, Name) and law.claim.left.name in _WAYS
        }
    return {}

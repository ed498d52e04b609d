"""A claim in plain words, so that a reader sees what was really proven."""

from __future__ import annotations

from collections.abc import Callable, Mapping

from verify.claims.checking import form_errors
from verify.claims.printing import ATOM, Printer, decimal, literal
from verify.claims.scope import Signature
from verify.claims.tree import (
    REDUCTIONS,
    Call,
    Claim,
    Element,
    Expression,
    Name,
    Number,
    Reference,
    Within,
    WithinPercent,
)
from verify.experiment import Experiment
from verify.quantities import Shape
from verify.text import Language, Text
from verify.units import ONE

Meanings = Callable[[Reference], Text | None]

_COMPARISONS = {"==": "=", "!=": "≠", "<": "<", "<=": "≤", ">": ">", ">=": "≥"}
_RANK = Text(ja="ランク番号", en="the rank's number")
_OVER_RANKS = {
    "min": Text(ja="{0}の全ランクでの最小値", en="the minimum over all ranks of {0}"),
    "max": Text(ja="{0}の全ランクでの最大値", en="the maximum over all ranks of {0}"),
    "sum": Text(ja="{0}の全ランクでの合計", en="the sum over all ranks of {0}"),
    "mean": Text(ja="{0}の全ランクでの平均", en="the mean over all ranks of {0}"),
}
_OF_SEVERAL = {
    "min": Text(ja="[{0}] の最小値", en="the minimum of [{0}]"),
    "max": Text(ja="[{0}] の最大値", en="the maximum of [{0}]"),
}
_SIGNS = {
    "ceil": "⌈{0}⌉",
    "floor": "⌊{0}⌋",
    "log2": "log₂({0})",
    "sqrt": "√({0})",
    "abs": "|{0}|",
}
_SUPERSCRIPTS = str.maketrans("-0123456789", "⁻⁰¹²³⁴⁵⁶⁷⁸⁹")
_MATHEMATICAL = frozenset("+−-×÷=*/()[]（）［］|<>,、")


def in_words(
    tree: Claim | Expression,
    language: Language,
    meanings: Meanings,
    known: Signature | None = None,
) -> str:
    """`bytes sent by each rank = 2 × (ranks − 1) ÷ ranks × gradient size, within 1 %`.

    A name without a meaning stands for itself. With `known`, a claim that is judged rank by rank
    says so.
    """
    printer = _Words(language, meanings)
    if not isinstance(tree, Claim):
        words = printer.expression(tree)
        return _tight(words) if language == "ja" else words
    sides = (
        f"{printer.expression(tree.left)} {_COMPARISONS[tree.comparison]} "
        f"{printer.expression(tree.right)}"
    )
    notes = [note.pick(language) for note in _tolerance(tree, printer)]
    if known is not None:
        form, _ = form_errors(tree, known)
        if form is not None and form.shape is Shape.PER_RANK:
            notes.append(Text(ja="どのランクでも", en="on every rank").pick(language))
    if language == "ja":
        return _tight(f"{sides}（{'、'.join(notes)}）" if notes else sides)
    return ", ".join([sides, *notes])


def _tight(text: str) -> str:
    """Full-width brackets bring their own space."""
    return text.replace(" （", "（").replace("） ", "）")


def meanings_of(experiments: Mapping[str | None, Experiment]) -> Meanings:
    """What names mean, by run, from the declarations of their experiments."""
    texts: dict[Reference, Text] = {}
    for run, experiment in experiments.items():
        texts |= {Reference(run, p.name): p.meaning for p in experiment.parameters()}
        texts |= {Reference(run, q.name): q.meaning for q in experiment.quantities}
    return texts.get


def _tolerance(claim: Claim, printer: _Words) -> list[Text]:
    if claim.comparison not in ("==", "!="):
        return []
    match claim.tolerance:
        case None if claim.comparison == "!=":
            return []
        case None:
            return [Text(ja="厳密に一致", en="exactly")]
        case Within(amount):
            ja = en = printer.expression(amount)
        case WithinPercent(percent, of):
            ja = en = f"{decimal(percent)} %"
            if of is not None:
                base = printer.at_least(of, ATOM)
                ja, en = f"{_before_no(base)}の {ja}", f"{en} of {base}"
    if claim.comparison == "==":
        return [Text(ja=f"誤差 {ja} 以内", en=f"within {en}")]
    return [Text(ja=f"差が {ja} を超える", en=f"by more than {en}")]


class _Words(Printer):
    def __init__(self, language: Language, meanings: Meanings) -> None:
        self.language = language
        self.meanings = meanings

    symbols: Mapping[str, str] = {"+": " + ", "-": " − ", "*": " × ", "/": " ÷ ", "negative": "−"}

    def bracketed(self, text: str) -> str:
        return f"（{text}）" if self.language == "ja" else f"({text})"

    def number(self, node: Number) -> str:
        text = literal(node)
        if node.unit == ONE and text.startswith("1e"):
            return "10" + text.removeprefix("1e").translate(_SUPERSCRIPTS)
        return text

    def name(self, node: Name) -> str:
        return self.labelled(node, [])

    def element(self, node: Element) -> str:
        rank = "ランク " if self.language == "ja" else "rank "
        places = [rank + self.at_least(index, ATOM) for index in node.indices]
        return self.labelled(node.target, [" → ".join(places)])

    def labelled(self, node: Name, labels: list[str]) -> str:
        """The meaning of a name, with its run and its rank in square brackets."""
        meaning = _RANK if node.is_rank else self.meanings(node.reference)
        text = node.name if meaning is None else meaning.pick(self.language)
        if meaning is not None and _MATHEMATICAL & set(text):
            text = f"「{text}」" if self.language == "ja" else f"“{text}”"
        if node.run is not None:
            labels = [node.run, *labels]
        return f"{text} [{', '.join(labels)}]" if labels else text

    def power(self, base: str, exponent: int) -> str:
        if " " in base and not base.endswith((")", "）")):
            base = self.bracketed(base)
        return base + str(exponent).translate(_SUPERSCRIPTS)

    def level(self, node: Expression) -> int:
        """A reduction is written as a phrase, which is bracketed beside any operator."""
        phrase = isinstance(node, Call) and node.function in REDUCTIONS
        return 0 if phrase else super().level(node)

    def call(self, node: Call) -> str:
        if node.function in _SIGNS:
            return _SIGNS[node.function].replace("{0}", self.expression(node.arguments[0]))
        if len(node.arguments) > 1:
            inside = ", ".join(map(self.expression, node.arguments))
            return _OF_SEVERAL[node.function].pick(self.language).replace("{0}", inside)
        inside = self.at_least(node.arguments[0], ATOM)
        if self.language == "ja":
            inside = _before_no(inside)
        return _OVER_RANKS[node.function].pick(self.language).replace("{0}", inside)


def _before_no(text: str) -> str:
    """Japanese sets a space between Latin text and の."""
    return f"{text} " if text[-1].isascii() else text

"""The parts that every page of evidence is made of.

A page is one file that fetches nothing: style, script and pictures are inside, and its
content-security policy allows exactly that style and that script, by hash. Text in both languages
stands side by side, and the switch at the top hides one of them without a script. Everything that
isn't made here is escaped by the templates.
"""

from __future__ import annotations

import base64
import hashlib
import shlex
from collections.abc import Iterable, Mapping, Sequence, Set
from dataclasses import dataclass, field, replace
from functools import partial
from importlib.resources import files
from importlib.resources.abc import Traversable
from typing import TYPE_CHECKING, Any

from markupsafe import Markup, escape

from verify.claims import Claim, Judgement, Verdict
from verify.claims.mathml import formula_mathml
from verify.evidence import Evidence
from verify.experiment import Experiment
from verify.quantities import Measured, Value
from verify.report import gantt, ledger, run
from verify.report.svg import bars as svg_bars
from verify.report.svg import gantt as svg_gantt
from verify.report.svg import traffic as svg_traffic
from verify.text import LANGUAGES, Language, Text, printable

if TYPE_CHECKING:
    from jinja2 import Environment

GOOD, BAD, UNSURE = "good", "bad", "unsure"
_SIGNS = {"!=": "≠ ", "<": "< ", "<=": "≤ ", ">": "> ", ">=": "≥ "}
_TEMPLATES = files("verify.report") / "templates"

SAY: Mapping[str, Text] = {
    "skip": Text(ja="本文へ", en="To the content"),
    "language": Text(ja="言語", en="Language"),
    "index": Text(ja="目次", en="Index"),
    "all": Text(ja="すべて", en="all"),
    "expected": Text(ja="期待", en="expected"),
    "measured": Text(ja="測定", en="measured"),
    "counted": Text(ja="計数", en="counted"),
    "difference": Text(ja="差", en="difference"),
    "fault": Text(ja="故障", en="fault"),
    "environment": Text(ja="環境", en="environment"),
    "laws": Text(ja="法則", en="Laws"),
    "quantities": Text(ja="量", en="Quantities"),
    "run": Text(ja="実行", en="Run"),
    "shown": Text(ja="先のカードに表示", en="shown with an earlier card"),
    "name": Text(ja="名前", en="name"),
    "value": Text(ja="値", en="value"),
    "source": Text(ja="由来", en="source"),
    "meaning": Text(ja="意味", en="meaning"),
    "again": Text(ja="もう一度実行するには", en="To run it again"),
    "answer": Text(ja="答え", en="Answer"),
    "choices": Text(ja="選択肢", en="Choices"),
    "lures": Text(ja="正解と誤答", en="The answer and its lures"),
    "varied": Text(ja="出題のたびに変わる値", en="Changes with each question"),
    "truths": Text(ja="測って確かめたこと", en="What was measured"),
    "origin": Text(ja="出典", en="From"),
}
_TRAFFIC = Text(ja="だれがだれに送ったか(行→列)", en="Who sent to whom (row → column)")
_SECOND = Text(ja="ランクの 2 つ目の段", en="the rank's second stage")
_IDLE = Text(ja="空き", en="idle")


# Thousands of them: short, without quotation marks. `i` is HTML's element for another language.
_SWITCHED = "<{0} lang={1}>{2}</{0}>"
_ONLY = "<{0} class=only lang={1}>{2}</{0}>"
_LONG = 200  # characters of a drawing that are worth a reference instead of a copy


@dataclass(frozen=True, slots=True)
class Entry:
    """A line of the index. `data` are the values that filters compare, by the filter's name."""

    id: str
    label: Text
    tone: str
    values: Mapping[str, str] = field(default_factory=dict)

    @property
    def data(self) -> Markup:
        """The entry as attributes of whatever is to be filtered."""
        pairs = {"card": self.id, **self.values}
        return Markup("").join(Markup(' data-{}="{}"').format(n, v) for n, v in pairs.items())


@dataclass(frozen=True, slots=True)
class Filter:
    """A way to narrow the index: a value, what it is called, how many entries have it."""

    name: str
    legend: Text
    options: tuple[tuple[str, Text, int], ...]


@dataclass(frozen=True, slots=True)
class ClaimPart:
    """A claim on a page. `tone` says whether its verdict is the one that was wanted."""

    claim: Claim
    judgement: Judgement | None
    verdict: Verdict
    tone: str
    words: Text
    role: Text | None = None
    prose: Markup | None = None
    why: Markup | None = None
    counted: bool = False  # in a world that only counts, so that nothing was measured

    @property
    def said(self) -> Text:
        """`lure · refuted`."""
        verdict, role = ledger.VERDICTS[self.verdict], self.role
        if role is None:
            return verdict
        return Text(ja=f"{role.ja} · {verdict.ja}", en=f"{role.en} · {verdict.en}")

    @property
    def sign(self) -> str:
        """Before the expected value: how the measured one is compared with it."""
        return _SIGNS.get(self.claim.comparison, "")

    @property
    def difference(self) -> str | None:
        if self.judgement is None:
            return None
        found = ledger.difference(self.claim.comparison, self.judgement)
        return None if found == "–" else found

    @property
    def reason(self) -> Text | None:
        return self.judgement.reason if self.judgement else None


@dataclass(frozen=True, slots=True)
class PicturePart:
    """One figure: drawings side by side, what they show, and what their colours mean."""

    caption: Text
    drawings: tuple[Markup, ...]
    legend: tuple[tuple[str, Text], ...] = ()


def both(text: Text, made: Mapping[Language, Markup] | None = None, tag: str = "i") -> Markup:
    """A text in both languages, each marked as what it is; once where they are the same.

    `made` is what was made of it in each language, where that is more than its characters. A
    language that the text lacks is not switched to: the other one stays.
    """
    made = made or {n: escape(printable(text.pick(n))) for n in LANGUAGES}
    given = [n for n in LANGUAGES if getattr(text, n) is not None]
    if len(given) > 1 and len(set(made.values())) == 1:
        return made["en"] if tag == "i" else Markup("<{0}>{1}</{0}>").format(tag, made["en"])
    shown = _SWITCHED if len(given) > 1 else _ONLY
    return Markup("").join(Markup(shown).format(tag, n, made[n]) for n in given)


def tone_of(verdict: Verdict, wanted: Verdict = Verdict.CONFIRMED) -> str:
    if verdict is Verdict.UNDECIDED:
        return UNSURE
    return GOOD if verdict is wanted else BAD


def command_of(evidence: Evidence, repeat: int | None = None) -> str:
    """What to type to make the same run again."""
    settings = [f"{name}={_setting(value)}" for name, value in evidence.parameters.items()]
    return command_with(settings, evidence, repeat)


def command_with(settings: Sequence[str], evidence: Evidence, repeat: int | None = None) -> str:
    """What to type to run the experiment of some evidence, in such a world, with `settings`."""
    world = evidence.world
    start = ["quiz", "verify", "run"]
    if world.launcher == "torchrun":
        hosts = ["--nnodes", str(world.hosts)] if world.hosts > 1 else []
        per_host = ["--nproc-per-node", str(world.ranks // world.hosts)]
        start = ["torchrun", *hosts, *per_host, "-m", "verify", "run"]
    fault = [] if evidence.fault is None else ["--fault", evidence.fault]
    repeats = [] if repeat is None else ["--repeat", str(repeat)]
    return shlex.join([*start, evidence.experiment, *settings, *fault, *repeats])


def _setting(value: Value) -> str:
    return str(value).lower() if isinstance(value, bool) else str(value)


def pictures_of(evidence: Evidence, language: Language) -> list[PicturePart]:
    """The timeline and the traffic, where the run yielded them."""
    parts = []
    if chart := svg_gantt.draw(evidence.timeline, language):
        rows, title = gantt.chart_of(evidence.timeline)
        bars = [bar for row in rows for bar in row]
        legend: list[tuple[str, Text]] = [
            (kind.value, meaning)
            for kind, meaning in gantt.MEANINGS.items()
            if any(bar.kind == kind for bar in bars)
        ]
        if any(bar.loop for bar in bars):
            legend.append(("second", _SECOND))
        parts.append(PicturePart(title, (Markup(chart),), (*legend, ("idle", _IDLE))))
    matrix = evidence.quantities.get("wire_matrix")
    if isinstance(matrix, Measured):
        drawn = (svg_traffic.heat_map(matrix, language), svg_traffic.ring(matrix, language))
        if drawings := tuple(map(Markup, filter(None, drawn))):
            parts.append(PicturePart(_TRAFFIC, drawings))
    return parts


def where(evidence: Evidence) -> str:
    """The world of a run, how long it took and when; signs and figures that need no words."""
    world = evidence.world
    at = evidence.at.replace("T", " ").replace("+00:00", " UTC")
    parts = [f"{world.ranks} × {world.device}", world.backend, world.launcher]
    return " · ".join([*parts, f"{evidence.seconds:.2f} s", at])


def filters_of(
    entries: Sequence[Entry], names: Iterable[tuple[str, Text, Mapping[str, Text]]]
) -> list[Filter]:
    """Filters with the values that occur, in the order in which their names are given."""
    filters = []
    for name, legend, called in names:
        having = [entry.values[name] for entry in entries]
        options = tuple((v, text, having.count(v)) for v, text in called.items() if v in having)
        filters.append(Filter(name, legend, options))
    return filters


def document(
    template: Traversable,
    language: Language,
    *,
    title: Text,
    lead: Text,
    tally: Text,
    again: str,
    entries: Sequence[Entry],
    evidence: Sequence[Evidence],
    filters: Sequence[Filter] = (),
    **content: Any,
) -> str:
    """The whole page. `again` is the command that makes it; `content` is the template's own.

    What all of the evidence shares of its environment is said once.
    """
    environments = [set(told(one)) for one in evidence]
    shared = set.intersection(*environments) if environments else set()
    style, script = ((_TEMPLATES / name).read_text("utf-8") for name in ("page.css", "page.js"))
    policy = (
        f"default-src 'none'; style-src {_hash(style)}; script-src {_hash(script)}; "
        "base-uri 'none'; form-action 'none'"
    )
    source = template.read_text("utf-8")
    return (
        _environment(language, shared)
        .from_string(source)
        .render(
            language=language,
            policy=Markup(policy),
            style=Markup(style),
            script=Markup(script),
            title=title,
            lead=lead,
            tally=tally,
            again=again,
            entries=entries,
            filters=filters,
            environment=[p for p in told(evidence[0]) if p in shared] if evidence else [],
            **content,
        )
    )


def told(evidence: Evidence) -> list[tuple[str, str]]:
    """The environment as a page that is passed around tells it: without the machine's name."""
    return [(name, value) for name, value in evidence.environment.items() if name != "host"]


def _environment(language: Language, shared: Set[tuple[str, str]]) -> Environment:
    import jinja2

    environment = jinja2.Environment(
        autoescape=True,
        undefined=jinja2.StrictUndefined,
        trim_blocks=True,
        lstrip_blocks=True,
        loader=jinja2.FunctionLoader(lambda name: (_TEMPLATES / name).read_text("utf-8")),
    )
    environment.globals |= {
        "say": SAY,
        "both": both,
        "command": _command,
        "formula": lambda claim: Markup(formula_mathml(claim)),
        "figure": ledger.figure,
        "bars": lambda judgement: Markup(svg_bars.draw(judgement, language)),
        "pictures_of": partial(pictures_of, language=language),
        "settings": run.settings,
        "told_apart": _told_apart,
        "where": where,
        "own": lambda evidence: [p for p in told(evidence) if p not in shared],
        "once": _Once(),
    }
    return environment


class _Once:
    """Drawings that a page repeats: the first is whole, the others refer to what it shows."""

    def __init__(self) -> None:
        self._seen: dict[str, str] = {}

    def __call__(self, drawing: Markup) -> Markup:
        head, end, shown = drawing.removesuffix("</svg>").rpartition("</desc>")
        if len(shown) < _LONG:
            return drawing
        if shown in self._seen:
            return Markup(f'{head}{end}<use href="#{self._seen[shown]}"/></svg>')
        self._seen[shown] = f"drawing-{len(self._seen) + 1}"
        return Markup(f'{head}{end}<g id="{self._seen[shown]}">{shown}</g></svg>')


def _hash(source: str) -> str:
    """A source of a content-security policy: what may be inline, by its SHA-256."""
    digest = hashlib.sha256(source.encode()).digest()
    return f"'sha256-{base64.b64encode(digest).decode()}'"


def _told_apart(evidence: Evidence, experiment: Experiment) -> str:
    """The parameters of a run that aren't what they are by default."""
    usual = {parameter.name: parameter.default for parameter in experiment.parameters()}
    own = {n: v for n, v in evidence.parameters.items() if v != usual.get(n)}
    return run.settings(replace(evidence, parameters=own), experiment)


def _command(line: str) -> Markup:
    """How to run something again, to be copied."""
    return Markup("<p class=again>{} <code>{}</code></p>").format(both(SAY["again"]), line)

"""The keys of a deck and of its cards, and how each becomes a field.

deck        deck, title, cards
card        id, kind, ask; topic, source, explain, hint, after, idea, proof
  recall    answer
  trap      choices: [{text, claim, belief?, why?, unless?}]
  compute   vary, result; lures: [{result, belief, why?}], unit
proof       experiment, with?, fault?, truth?  or  runs: {name: {experiment, with?, fault?}}, truth?
"""

from __future__ import annotations

import math
import re
from collections.abc import Iterable, Mapping
from pathlib import Path

import yaml

from quiz.deck.card import (
    Card,
    Choice,
    Deck,
    Kind,
    NumberLure,
    Place,
    Places,
    Position,
    Proof,
    Run,
    Statement,
)  # fmt: skip
from quiz.deck.problem import shown
from quiz.deck.reader import Reader, start
from quiz.deck.source import Source
from verify.api import Text, Value, verbatim

DECK_KEYS = ("deck", "title", "cards")
REQUIRED = ("id", "kind", "ask")
COMMON = (*REQUIRED, "topic", "source", "explain", "hint", "after", "idea", "proof")
OF_KIND: dict[Kind, tuple[tuple[str, ...], tuple[str, ...]]] = {  # required, optional
    Kind.RECALL: (("answer",), ()),
    Kind.TRAP: (("choices",), ()),
    Kind.COMPUTE: (("vary", "result"), ("lures", "unit")),
}
CARD_KEYS = dict.fromkeys(  # in order, and quick to look up
    (*COMMON, *(key for keys in OF_KIND.values() for part in keys for key in part))
)
CHOICE_KEYS = ("text", "claim", "belief", "why", "unless")
CHOICE_REQUIRED = ("text", "claim")
LURE_KEYS = ("result", "belief", "why")
LURE_REQUIRED = ("result", "belief")
RUN_KEYS = ("experiment", "with", "fault")
RUN_REQUIRED = ("experiment",)
PROOF_KEYS = (*RUN_KEYS, "runs", "truth")
TRUTH_KEYS = ("claim", "unless")
TRUTH_REQUIRED = ("claim",)

MOST_CHOICES = 26  # one letter each
MOST_RUNS = 8
MOST_COMBINATIONS = 4096

ID = re.compile(r"[a-z0-9][a-z0-9-]{0,63}", re.ASCII)
PREREQUISITE = re.compile(rf"(?:{ID.pattern}/)?{ID.pattern}", re.ASCII)
NAME = re.compile(r"[A-Za-z_][A-Za-z0-9_]{0,63}", re.ASCII)  # as in claims

RESERVED = ("result", "rank")  # a compute card's own expression, and the index of a rank

_ID_HINT = Text(
    ja="英小文字、数字、ハイフンで 64 文字までです(例: ring-bytes)。",
    en="Use up to 64 small letters, digits and hyphens, such as ring-bytes.",
)
_NAME_HINT = Text(
    ja="英字、数字、下線で書き、数字では始めません(例: ranks)。",
    en="Use letters, digits and underscores, not a digit first, such as ranks.",
)


class DeckReader(Reader):
    """Reads the root node of a file.

    `declared` says where each card's id stands, `deck_places` where the deck's own fields do.
    """

    def __init__(self, source: Source) -> None:
        super().__init__(source)
        self.declared: dict[str, Position] = {}
        self.deck_places = self.places

    def deck(self, root: yaml.Node, path: Path) -> Deck | None:
        """The deck with every card that is without problems.

        There is no deck where its id is missing or wrong: cards would have no identity.
        """
        fields = self.fields(root, (), DECK_KEYS, DECK_KEYS)
        before = len(self.problems)
        name = self._id(fields["deck"], ("deck",)) if "deck" in fields else ""
        identified = bool(name) and len(self.problems) == before
        title = self.text(fields["title"], ("title",)) if "title" in fields else verbatim(name)
        nodes = self.items(fields["cards"], ("cards",)) if "cards" in fields else []
        found = [self._card(node, name if identified else None) for node in nodes]
        self.card = None
        if not identified:
            return None
        return Deck(name, title, tuple(card for card in found if card), path)

    # Cards

    def _card(self, node: yaml.Node, deck: str | None) -> Card | None:
        self.places, self.card = {}, None
        before = len(self.problems)
        if not isinstance(node, yaml.MappingNode):
            self.fields(node, (), CARD_KEYS)
            return None
        self._identify(node, deck)
        fields = self.fields(node, (), CARD_KEYS, REQUIRED)
        sound = len(self.problems) == before
        if "id" in fields:
            self._declare(fields["id"])
        kind = self._kind(fields["kind"]) if "kind" in fields else None
        if kind is not None:
            fields = self._of_kind(kind, node, fields, sound)
        card = self._build(fields, deck or "", kind or Kind.RECALL)
        return card if len(self.problems) == before else None

    def _identify(self, node: yaml.MappingNode, deck: str | None) -> None:
        """Find the card's name first, so that every problem inside it can carry it."""
        for key, value in node.value:
            if key.value == "id" and isinstance(value, yaml.ScalarNode):
                if ID.fullmatch(value.value):
                    self.card = f"{deck}/{value.value}" if deck else value.value
                return

    def _declare(self, node: yaml.Node) -> None:
        name = self._id(node, ("id",))
        if name in self.declared:
            line = self.declared[name].line
            self.refuse(
                "duplicate-id",
                node,
                Text(
                    ja=f"カード {name} は {line} 行目にもあります。",
                    en=f"The card {name} is already on line {line}.",
                ),
                Text(ja="別の id を付けてください。", en="Give it another id."),
            )
        elif name:
            self.declared[name] = start(node)

    def _kind(self, node: yaml.Node) -> Kind | None:
        before = len(self.problems)
        value = self.string(node, ("kind",))
        if value in tuple(Kind):
            return Kind(value)
        if len(self.problems) == before:
            kinds = ", ".join(Kind)
            self.refuse(
                "schema",
                node,
                Text(ja=f"不明な種類 {shown(value)} です。", en=f"Unknown kind {shown(value)}."),
                Text(ja=f"使える種類: {kinds}", en=f"Possible kinds: {kinds}"),
            )
        return None

    def _of_kind(
        self, kind: Kind, node: yaml.Node, fields: dict[str, yaml.Node], sound: bool
    ) -> dict[str, yaml.Node]:
        """The fields without those of other kinds, which are refused like missing ones.

        Nothing is called missing where a key was refused: it may be the one, misspelt.
        """
        required, optional = OF_KIND[kind]
        for name in required if sound else ():
            if name not in fields:
                self.missing(node, name)
        own = (*required, *optional)
        foreign = [name for name in fields if name not in COMMON and name not in own]
        for name in foreign:
            self.refuse(
                "schema",
                fields.pop(name),
                Text(
                    ja=f"{kind} のカードに {name} は書けません。",
                    en=f"A {kind} card has no {name}.",
                ),
                Text(
                    ja=f"{kind} だけのキー: {', '.join(own)}",
                    en=f"Keys of {kind} alone: {', '.join(own)}",
                ),
            )
        return fields

    def _build(self, fields: Mapping[str, yaml.Node], deck: str, kind: Kind) -> Card:
        def text(name: str) -> Text | None:
            return self.text(fields[name], (name,)) if name in fields else None

        def string(name: str) -> str | None:
            return self.string(fields[name], (name,)) if name in fields else None

        return Card(
            deck=deck,
            id=fields["id"].value if "id" in fields else "",
            kind=kind,
            ask=text("ask") or verbatim(""),
            topic=string("topic"),
            source=string("source"),
            explain=text("explain"),
            hint=text("hint"),
            after=self._after(fields["after"], deck) if "after" in fields else (),
            idea=self._id(fields["idea"], ("idea",)) if "idea" in fields else None,
            proof=self._proof(fields["proof"]) if "proof" in fields else None,
            answer=text("answer"),
            choices=self._choices(fields["choices"]) if "choices" in fields else (),
            vary=self._vary(fields["vary"]) if "vary" in fields else {},
            result=self.code(fields["result"], ("result",)) if "result" in fields else None,
            lures=self._lures(fields["lures"]) if "lures" in fields else (),
            unit=string("unit"),
            places=Places(self.places),
            keys=tuple(fields),
        )

    def _after(self, node: yaml.Node, deck: str) -> tuple[str, ...]:
        names: list[str] = []
        for number, item in enumerate(self.items(node, ("after",))):
            name = self._matching(PREREQUISITE, item, ("after", number), _ID_HINT)
            names.append(name if "/" in name else f"{deck}/{name}")
        return tuple(names)

    # Traps

    def _choices(self, node: yaml.Node) -> tuple[Choice, ...]:
        found: list[Choice] = []
        for number, item in enumerate(self.items(node, ("choices",))):
            place: Place = ("choices", number)
            fields = self.fields(item, place, CHOICE_KEYS, CHOICE_REQUIRED)
            if "text" in fields and "claim" in fields:
                found.append(
                    Choice(
                        text=self.text(fields["text"], (*place, "text")),
                        statement=self._statement(fields, place),
                        belief=self._belief(fields, place),
                        why=self._why(fields, place),
                    )
                )
        if isinstance(node, yaml.SequenceNode) and len(found) == len(node.value):
            self._check_choices(node, found)
        return tuple(found)

    def _check_choices(self, node: yaml.SequenceNode, choices: list[Choice]) -> None:
        truths = [number for number, choice in enumerate(choices) if choice.is_truth]
        if len(choices) > MOST_CHOICES:
            self._refuse_trap(
                node.value[MOST_CHOICES],
                Text(
                    ja=f"選択肢は {MOST_CHOICES} 個までです。",
                    en=f"{MOST_CHOICES} choices at most.",
                ),
            )
        if not truths:
            self._refuse_trap(
                node,
                Text(ja="正解がありません。", en="There is no truth among the choices."),
                Text(
                    ja="正解の選択肢から belief を消してください。",
                    en="The truth is the choice without belief.",
                ),
            )
        for number in truths[1:]:
            self._refuse_trap(
                node.value[number],
                Text(ja="正解が二つ以上あります。", en="There is more than one truth."),
                Text(
                    ja="誤りの選択肢には belief を書いてください。",
                    en="Give each lure a belief: a stable key of what one wrongly believes.",
                ),
            )
        if len(truths) == len(choices) == 1:
            self._refuse_trap(
                node,
                Text(ja="誤りの選択肢がありません。", en="There is no lure among the choices."),
                Text(ja="belief のある選択肢を加えてください。", en="Add a choice with a belief."),
            )
        self._check_beliefs(zip(node.value, (choice.belief for choice in choices), strict=True))

    def _check_beliefs(self, beliefs: Iterable[tuple[yaml.Node, str | None]]) -> None:
        """Beliefs are keys of the log: distinct within a card, and never `truth`."""
        seen = {"truth"}
        for node, belief in beliefs:
            if belief in seen:
                self._refuse_trap(
                    node,
                    Text(
                        ja=f"belief {belief} はすでに使われています。",
                        en=f"The belief {belief} is already taken.",
                    ),
                    Text(
                        ja="一枚のカードの中では別々の名前にしてください(truth は使えません)。",
                        en="Beliefs of one card differ from each other and from “truth”.",
                    ),
                )
            elif belief:
                seen.add(belief)

    def _refuse_trap(self, node: yaml.Node, message: Text, hint: Text | None = None) -> None:
        self.refuse("trap-choices", node, message, hint)

    def _belief(self, fields: Mapping[str, yaml.Node], place: Place) -> str | None:
        return self._id(fields["belief"], (*place, "belief")) if "belief" in fields else None

    def _why(self, fields: Mapping[str, yaml.Node], place: Place) -> Text | None:
        return self.text(fields["why"], (*place, "why")) if "why" in fields else None

    # Compute cards

    def _vary(self, node: yaml.Node) -> dict[str, tuple[Value, ...]]:
        self.places["vary",] = node.start_mark
        found: dict[str, tuple[Value, ...]] = {}
        for name, (key, values) in self.mapping(node).items():
            place: Place = ("vary", name)
            if self._name(key, place) in RESERVED:
                self.refuse(
                    "schema",
                    key,
                    Text(
                        ja=f"{name} は claim の中で別の意味を持ちます。",
                        en=f"{name} means something else in claims.",
                    ),
                    Text(ja="別の名前にしてください。", en="Give it another name."),
                )
            found[name] = tuple(
                self.value(item, (*place, number), switches=False)
                for number, item in enumerate(self.items(values, place))
            )
            if len(set(found[name])) < len(found[name]):
                self.refuse(
                    "schema",
                    values,
                    Text(ja="同じ値が二度あります。", en="A value stands here twice."),
                )
        if isinstance(node, yaml.MappingNode) and not node.value:
            self.missing(node, "ranks: [3, 4]")
        if math.prod(map(len, found.values())) > MOST_COMBINATIONS:
            self.refuse(
                "schema",
                node,
                Text(
                    ja=f"組み合わせが {MOST_COMBINATIONS} 通りを超えています。",
                    en=f"There are more than {MOST_COMBINATIONS} combinations.",
                ),
            )
        return found

    def _lures(self, node: yaml.Node) -> tuple[NumberLure, ...]:
        found: list[tuple[yaml.Node, NumberLure]] = []
        for number, item in enumerate(self.items(node, ("lures",))):
            place: Place = ("lures", number)
            fields = self.fields(item, place, LURE_KEYS, LURE_REQUIRED)
            if "result" in fields and "belief" in fields:
                lure = NumberLure(
                    result=self.code(fields["result"], (*place, "result")),
                    belief=self._id(fields["belief"], (*place, "belief")),
                    why=self._why(fields, place),
                )
                found.append((item, lure))
        self._check_beliefs((item, lure.belief) for item, lure in found)
        return tuple(lure for _, lure in found)

    # Proofs

    def _proof(self, node: yaml.Node) -> Proof:
        fields = self.fields(node, ("proof",), PROOF_KEYS)
        truth: list[Statement] = []
        for number, item in enumerate(
            self.items(fields["truth"], ("proof", "truth")) if "truth" in fields else []
        ):
            truth.append(self._truth(item, ("proof", "truth", number)))
        if "runs" not in fields:
            if "experiment" not in fields and isinstance(node, yaml.MappingNode):
                self.missing(node, "experiment")
            return Proof((self._run(None, fields, ("proof",)),), tuple(truth))
        for name in RUN_KEYS:
            if name in fields:
                self.refuse(
                    "schema",
                    fields[name],
                    Text(
                        ja=f"runs があるとき、{name} はそれぞれの実行に書きます。",
                        en=f"Where there are runs, {name} stands in each of them.",
                    ),
                )
        return Proof(self._runs(fields["runs"]), tuple(truth))

    def _runs(self, node: yaml.Node) -> tuple[Run, ...]:
        place: Place = ("proof", "runs")
        self.places[place] = node.start_mark
        runs: list[Run] = []
        for name, (key, value) in self.mapping(node).items():
            self._name(key, (*place, name))
            fields = self.fields(value, (*place, name), RUN_KEYS, RUN_REQUIRED)
            runs.append(self._run(name, fields, (*place, name)))
        if isinstance(node, yaml.MappingNode) and not 1 <= len(node.value) <= MOST_RUNS:
            self.refuse(
                "schema",
                node,
                Text(ja=f"実行は 1〜{MOST_RUNS} 個です。", en=f"Name 1 to {MOST_RUNS} runs."),
            )
        return tuple(runs)

    def _run(self, name: str | None, fields: Mapping[str, yaml.Node], place: Place) -> Run:
        given: dict[str, Value] = {}
        if "with" in fields:
            self.places[*place, "with"] = fields["with"].start_mark
            for parameter, (_, value) in self.mapping(fields["with"]).items():
                given[parameter] = self.value(value, (*place, "with", parameter), switches=True)
        return Run(
            name=name,
            experiment=self._id(fields["experiment"], (*place, "experiment"))
            if "experiment" in fields
            else "",
            given=given,
            fault=self._id(fields["fault"], (*place, "fault")) if "fault" in fields else None,
        )

    def _truth(self, node: yaml.Node, place: Place) -> Statement:
        if isinstance(node, yaml.MappingNode):
            fields = self.fields(node, place, TRUTH_KEYS, TRUTH_REQUIRED)
            return self._statement(fields, place)
        return Statement(self.code(node, place))

    def _statement(self, fields: Mapping[str, yaml.Node], place: Place) -> Statement:
        unless = fields.get("unless")
        return Statement(
            claim=self.code(fields["claim"], (*place, "claim")) if "claim" in fields else "",
            unless=self._id(unless, (*place, "unless")) if unless is not None else None,
        )

    # Names

    def _id(self, node: yaml.Node, place: Place) -> str:
        return self._matching(ID, node, place, _ID_HINT)

    def _name(self, node: yaml.Node, place: Place) -> str:
        return self._matching(NAME, node, place, _NAME_HINT)

    def _matching(self, pattern: re.Pattern[str], node: yaml.Node, place: Place, hint: Text) -> str:
        before = len(self.problems)
        value = self.string(node, place)
        if len(self.problems) > before:
            return ""
        if pattern.fullmatch(value):
            return value
        if self._refuse_full_width(node, key=False):
            return ""
        self.refuse(
            "schema",
            node,
            Text(ja=f"{shown(value)} は名前に使えません。", en=f"{shown(value)} can't be a name."),
            hint,
        )
        return ""

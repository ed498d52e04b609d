"""The questions of `quiz deck new`: a terminal may try again, a pipe is taken at its word."""

from __future__ import annotations

from collections.abc import Callable, Collection, Sequence
from dataclasses import dataclass

from quiz.deck import skeleton
from quiz.deck.card import Deck, Kind
from quiz.deck.problem import CONTROL
from quiz.deck.schema import ID
from quiz.deck.skeleton import Fields, Words
from verify.api import LANGUAGES, Language, Text, UsageError
from verify.api.experiments import Experiment, experiment_names, find_experiment

Read = Callable[[], str | None]
Say = Callable[[str], None]
Check = Callable[[str], Text | None]
"""What is wrong with an answer, or None."""

_TRIES = 3
_KIND = Text(
    ja="種類: recall(思い出す)、trap(選ぶ)、compute(計算する)",
    en="Kind: recall (say it), trap (choose), compute (a number)",
)
_EXPERIMENT = Text(ja="証明に使う実験: {names}", en="The experiment that proves it: {names}")
_ID = Text(ja="カードの id(例: who-sends)", en="The card's id, such as who-sends")
_ASK = Text(ja="問い", en="The question")
_ASK_NUMBER = Text(
    ja="問い(値の入る所は {names} と書く)", en="The question, with {names} where the values go"
)
_ANSWER = Text(ja="答え", en="The answer")
_TRUTH = Text(ja="正しい選択肢", en="The right choice")
_LURE = Text(ja="誤った選択肢", en="A wrong choice that tempts")
_BELIEF = Text(
    ja="誤りのもとになる考えの名前(例: grows-with-batch)",
    en="A name for the belief behind what is wrong, such as grows-with-batch",
)
_WHY = Text(ja="なぜそう思うのか、どこが違うのか", en="Why it tempts, and why it is wrong")
_SOURCE = Text(ja="答えの根拠となる資料", en="Where the answer comes from")
_DECK = Text(ja="デッキの id", en="The deck's id")
_TITLE = Text(ja="デッキの題名", en="The deck's title")
_IN = {"ja": Text(ja="日本語", en="Japanese"), "en": Text(ja="英語", en="English")}

_EMPTY = Text(ja="何か書いてください。", en="Write something.")
_CONTROL = Text(ja="制御文字は使えません。", en="It holds a control character.")
_NOT_AN_ID = Text(
    ja="英小文字、数字、ハイフンで書いてください。", en="Use small letters, digits and hyphens."
)
_TAKEN = Text(ja="その名前はすでに使われています。", en="That name is already taken.")
_ONE_OF = Text(ja="使える値: {names}", en="Possible: {names}")
_NO_MORE = Text(
    ja="「{prompt}」の答えがありません。何も書き込んでいません。",
    en="“{prompt}” has no answer. Nothing was written.",
)


@dataclass(frozen=True)
class Interview:
    """`again` is whether a wrong answer may be given anew."""

    read: Read
    say: Say
    language: Language
    again: bool

    def deck(self, id: str) -> tuple[str, Words]:
        """The id and the title of a new deck."""
        name = self._ask(_DECK, _is_id, default=id if ID.fullmatch(id) else None)
        return name, self._ask(_TITLE, _is_text, default=name)

    def card(self, deck: Deck | None, taken: Collection[str]) -> Fields:
        """A new card, in order of its keys. Raises UsageError where an answer is of no use."""
        bilingual = deck is not None and _bilingual(deck)
        kind = Kind(self._ask(_KIND, _one_of(list(Kind)), default=Kind.TRAP.value))
        experiment = self._experiment(kind)
        id = self._ask(_ID, lambda said: _is_id(said) or (_TAKEN if said in taken else None))
        numbers = skeleton.compute(experiment, "", "")["vary"] if kind is Kind.COMPUTE else ()
        names = ", ".join(f"{{{name}}}" for name in numbers)
        asked = self._words(_ASK_NUMBER.fill(names=names) if names else _ASK, bilingual)
        match kind:
            case Kind.RECALL:
                more = skeleton.recall(experiment, self._words(_ANSWER, bilingual))
            case Kind.TRAP:
                truth = self._words(_TRUTH, bilingual)
                lure = self._words(_LURE, bilingual)
                more = skeleton.trap(experiment, truth, lure, *self._belief(bilingual))
            case Kind.COMPUTE:
                more = skeleton.compute(experiment, *self._belief(bilingual))
        source = self._ask(_SOURCE, _is_text)
        return {"id": id, "kind": kind.value, "source": source, "ask": asked} | more

    def _experiment(self, kind: Kind) -> Experiment:
        found = [find_experiment(name) for name in experiment_names()]
        usable = {e.name: e for e in found if kind is not Kind.COMPUTE or skeleton.computable(e)}
        prompt = _EXPERIMENT.fill(names=", ".join(usable))
        return usable[self._ask(prompt, _one_of(usable), default=next(iter(usable)))]

    def _belief(self, bilingual: bool) -> tuple[str, Words]:
        belief = self._ask(
            _BELIEF, lambda said: _is_id(said) or (_TAKEN if said == "truth" else None)
        )
        return belief, self._words(_WHY, bilingual)

    def _words(self, prompt: Text, bilingual: bool) -> Words:
        if not bilingual:
            return self._ask(prompt, _is_text)
        return {
            name: self._ask(
                Text(
                    ja=f"{prompt.ja}({_IN[name].ja})",
                    en=f"{prompt.en} ({_IN[name].en})",
                ),
                _is_text,
            )
            for name in LANGUAGES
        }

    def _ask(self, prompt: Text, wrong: Check, *, default: str | None = None) -> str:
        shown = prompt.pick(self.language) + (f" [{default}]" if default is not None else "")
        objection: Text | None = None
        for _ in range(_TRIES if self.again else 1):
            self.say(f"{shown}\n> ")
            line = self.read()
            if line is None:
                break
            said = line.strip() or default or ""
            objection = _is_text(said) or wrong(said)
            if objection is None:
                return said
            self.say(objection.pick(self.language) + "\n")
        raise UsageError(
            _NO_MORE.fill(prompt=prompt.pick(self.language).partition(":")[0]), objection
        )


def _bilingual(deck: Deck) -> bool:
    texts = [deck.title, *(card.ask for card in deck.cards)]
    return any(text.ja and text.en and text.ja != text.en for text in texts)


def _is_text(said: str) -> Text | None:
    return _EMPTY if not said else _CONTROL if CONTROL.search(said) else None


def _is_id(said: str) -> Text | None:
    return None if ID.fullmatch(said) else _NOT_AN_ID


def _one_of(names: Sequence[str] | Collection[str]) -> Check:
    listed = _ONE_OF.fill(names=", ".join(names))
    return lambda said: None if said in names else listed

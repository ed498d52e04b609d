"""A class guesses before a card is proven, and sees its guesses beside what was measured."""

from __future__ import annotations

import unicodedata
from collections import Counter
from collections.abc import Callable, Mapping
from dataclasses import dataclass, replace

from quiz.deck.card import Card, Kind
from quiz.deck.draw import worth
from quiz.proof import proof_combinations
from quiz.screens.lines import Page
from quiz.session.question import LETTERS, Question
from verify.api import Text, printable, wrap
from verify.api.command import Guess, ask_numbers, off_by

Read = Callable[[], str | None]
Say = Callable[[str], None]

MOST_VOICES = 400  # in one line: letters, or the characters of a sentence
_TRIES = 3

_LETTERS = Text(
    ja="予想を文字で、一人一文字(例 a a b。Enter だけなら予想なし)",
    en="Your guesses, a letter for each voice, such as a a b (Enter: none)",
)
_UNCLEAR = Text(ja="a–{last} の文字で答えてください。", en="Use the letters a–{last}.")
_ALOUD = Text(ja="口に出して答え、Enter で結果へ。", en="Say it; Enter shows the result.")
_GUESSES = Text(ja="予想", en="guesses")
_RIGHT = Text(ja="正解", en="right")
_NONE = Text(ja="予想なし", en="no guess")


@dataclass(frozen=True)
class Guessed:
    """What was asked and what was said. `voices` are letters, numbers or one sentence, as typed."""

    question: Question
    voices: tuple[str, ...] = ()
    numbers: tuple[Guess, ...] = ()

    @property
    def labels(self) -> Mapping[str, str]:
        """The letters under which the choices were shown, by the choice's key."""
        return {choice.key: self.question.letter(choice) for choice in self.question.order}


def ask(card: Card, page: Page, read: Read, say: Say, *, again: bool) -> Guessed:
    """Show the card's question, take one line. At a keyboard an unclear line is asked again."""
    question = _question(card)
    lines = ["", *page.prose(card.ask, question)]
    for choice in question.order:
        lines += page.prose(choice.text, question, first=f"   {question.letter(choice)}  ")
    if question.expected is not None:
        unit, shown = question.expected.unit, "\n".join(lines)
        guesses = ask_numbers(shown, unit, read, say, page.language, width=page.width, again=again)
        voices = tuple(guess.text for guess in guesses)
        return Guessed(question, voices, tuple(guesses))
    how = _LETTERS if question.order else _ALOUD
    say("\n".join([*lines, *wrap(how.pick(page.language), page.width, indent=" ")]) + "\n")
    for _ in range(_TRIES if again else 1):
        line = read()
        if line is None:
            break
        if not question.order:
            said = " ".join(line.split())[:MOST_VOICES]
            return Guessed(question, (said,) if said else ())
        letters = letters_in(line, len(question.order))
        if letters is not None:
            return Guessed(question, letters)
        say(f" {_UNCLEAR.fill(last=LETTERS[len(question.order) - 1]).pick(page.language)}\n")
    return Guessed(question)


def _question(card: Card) -> Question:
    """As at first sight, a computation with the parameters at which it is proven first."""
    if card.kind is not Kind.COMPUTE:
        return Question.of(card, 0)
    parameters = proof_combinations(card)[0]
    question = Question.of(card, 0)
    return replace(question, parameters=parameters, expected=worth(card.result or "", parameters))


def letters_in(line: str, choices: int) -> tuple[str, ...] | None:
    """`a a b`, `aab` or `a、a、b`; None where another sign stands among them."""
    normal = unicodedata.normalize("NFKC", line).lower()
    voices = tuple(c for c in normal[:MOST_VOICES] if not c.isspace() and c not in ",、")
    return voices if all(c in LETTERS[:choices] for c in voices) else None


def beside(guessed: Guessed, page: Page) -> list[str]:
    """The guesses, the right answer marked, in lines of at most `page.width` cells."""
    language, question = page.language, guessed.question
    title = f" {_GUESSES.pick(language)}"
    if not guessed.voices:
        return [f"{title}  {_NONE.pick(language)}", ""]
    if question.order:
        counts = Counter(guessed.voices)
        most = max(counts.values())
        room = max(4, page.width - 24)
        lines = [title]
        for choice in question.order:
            letter = question.letter(choice)
            length = counts[letter] if most <= room else round(room * counts[letter] / most)
            mark = _RIGHT.pick(language) if choice.is_truth else ""
            bar = "█" * length
            lines.append(f"   {letter}  {bar}{' ' if bar else ''}{counts[letter]}  {mark}".rstrip())
        return [*lines, ""]
    if question.expected is not None:
        value = question.expected.value
        said = "   ".join(off_by(guess, value, value, value) for guess in guessed.numbers)
        right = page.result(question.expected)
        lines = wrap(f"{title.strip()}  {said}", page.width, indent=" ", hanging="   ")
        return [*lines, *wrap(f"{_RIGHT.pick(language)}  {right}", page.width, indent=" "), ""]
    lines = wrap(f"{title.strip()}  {printable(guessed.voices[0])}", page.width, indent=" ")
    answer = question.card.answer
    return [*lines, *(page.prose(answer, question) if answer else []), ""]

"""The questions of `quiz deck new`, without a process of their own."""

from __future__ import annotations

from collections.abc import Iterator

import pytest

from quiz.commands.interview import Interview
from verify.api import UsageError

TRAP = ["trap", "", "first", "Which?", "This", "That", "that", "No.", "A book"]


def interview(lines: list[str], said: list[str], *, again: bool = False) -> Interview:
    left: Iterator[str] = iter(lines)
    return Interview(lambda: next(left, None), said.append, "en", again)


def test_an_empty_line_takes_what_is_offered() -> None:
    said: list[str] = []
    assert interview(["", ""], said).deck("mine") == ("mine", "mine")
    assert interview(["other", "", ""], said).deck("No id!") == ("other", "other")
    card = interview(TRAP, said).card(None, ())
    assert card["proof"] == {"experiment": "all-reduce-bytes"}
    assert list(card) == ["id", "kind", "source", "ask", "choices", "proof"]


@pytest.mark.parametrize(
    ("place", "answer", "said"),
    [
        (0, "wish", "Possible: recall, trap, compute"),
        (1, "no-such-experiment", "Possible: all-reduce-bytes, "),
        (2, "First!", "small letters"),
        (2, "old", "already taken"),
        (3, "", "Write something."),
        (3, "Which?\x1b[31m", "control character"),
        (6, "truth", "already taken"),
    ],
)
def test_an_answer_of_no_use_is_refused_in_a_pipe_and_asked_again_at_a_keyboard(
    place: int, answer: str, said: str
) -> None:
    lines = [*TRAP[:place], answer, *TRAP[place:]]
    with pytest.raises(UsageError) as refused:
        interview(lines, []).card(None, {"old"})
    assert said in refused.value.render("en")
    heard: list[str] = []
    assert interview(lines, heard, again=True).card(None, {"old"})["id"] == "first"
    assert any(said in line for line in heard)


@pytest.mark.parametrize("count", range(len(TRAP)))
def test_an_end_of_input_leaves_no_half_card(count: int) -> None:
    with pytest.raises(UsageError, match="Nothing was written"):
        interview(TRAP[:count], []).card(None, ())


def test_a_computation_is_offered_where_a_law_gives_a_number() -> None:
    said: list[str] = []
    card = interview(["compute", "sampler-padding", "n", "q", "b", "w", "s"], said).card(None, ())
    assert "memory-held" not in "".join(said)
    assert "{samples}, {ranks}" in "".join(said)
    assert card["result"] == "ceil(samples/ranks)"

"""Comments that allow a finding: `# quiz: allow rule-id -- reason`.

At the end of a line such a comment speaks for that line, on a line of its own for the next line
that is no comment, and with `allow-file` for the whole file.
"""

from __future__ import annotations

import re
from collections.abc import Collection, Iterable, Iterator, Mapping
from dataclasses import dataclass
from typing import Literal

from quiz.deck.card import Position
from quiz.deck.problem import Problem, shown
from quiz.deck.source import Source
from quiz.lint.scalars import Scalars
from verify.api import Text

MARK = "quiz:"
NO_REASON = "suppression-without-reason"
UNUSED = "unused-suppression"

Standing = Literal["usual", "elsewhere", "firm", "unknown"]
"""Of a rule: it can be allowed; likewise, but it isn't applied now; it can't; there is none."""

_COMMENT = re.compile(
    r"(?<!\S)#[ \t]*quiz:[ \t]*allow(?P<file>-file)?(?![\w-])(?P<rest>[^\r\n\x85\u2028\u2029]*)"
)
_RULE = re.compile(r"[^\s,]+")
_ONLY_COMMENT = re.compile(r"[ \t]*(?:#.*)?")


@dataclass(frozen=True, slots=True)
class Suppression:
    """One rule that a comment allows. `line` is None where it speaks for the whole file."""

    rule: str
    line: int | None
    start: Position
    end: Position
    has_reason: bool

    def covers(self, problem: Problem) -> bool:
        return problem.rule == self.rule and self.line in (None, problem.position.line)


def suppressions(source: Source) -> tuple[Suppression, ...]:
    """Those of a file. A `#` within a text begins no comment."""
    if MARK not in source.text:
        return ()
    return tuple(_found(source))


def _found(source: Source) -> Iterator[Suppression]:
    scalars = Scalars(source)
    following = 0  # where the comments end among which the last one stands
    for match in _COMMENT.finditer(source.text):
        if scalars.holds(match.start()):
            continue
        position = source.position(match.start())
        line: int | None = position.line
        if match["file"]:
            line = None
        elif not source.line(position.line)[: position.column - 1].strip():
            if following <= position.line:
                following = _next_line(source, position.line)
            line = following
        yield from _of_comment(source, match, line)


def _of_comment(source: Source, match: re.Match[str], line: int | None) -> Iterator[Suppression]:
    rules, _, reason = match["rest"].partition("--")
    start = match.start("rest")
    named = list(_RULE.finditer(rules)) or [match]
    for rule in named:
        offset = start if rule is not match else 0
        first = source.position(offset + rule.start())
        end = Position(first.line, first.column + len(rule[0]))
        text = rule[0] if rule is not match else ""
        yield Suppression(text, line, first, end, bool(reason.strip()))


def _next_line(source: Source, number: int) -> int:
    number += 1
    while source.offset(number) < len(source.text) and _ONLY_COMMENT.fullmatch(source.line(number)):
        number += 1
    return number


def settle(
    problems: Iterable[Problem],
    comments: Collection[Suppression],
    standing: Mapping[str, Standing],
) -> list[Problem]:
    """The problems that no comment allows, and what is wrong with the comments themselves."""
    kept: list[Problem] = []
    counting = {
        (each.rule, each.line)
        for each in comments
        if standing.get(each.rule) in ("usual", "elsewhere")
    }
    used: set[tuple[str, int | None]] = set()
    for problem in problems:
        covering = counting & {(problem.rule, None), (problem.rule, problem.position.line)}
        used |= covering
        if not covering:
            kept.append(problem)
    for each in comments:
        if not each.has_reason:
            kept.append(Problem(NO_REASON, each.start, _NO_REASON, _HOW, end=each.end))
        state = standing.get(each.rule, "unknown")
        if (each.rule, each.line) not in used and state != "elsewhere":
            kept.append(_unused(each, state))
    return sorted(kept, key=lambda problem: (problem.position, problem.rule))


def allowed(problem: Problem, comments: Iterable[Suppression]) -> bool:
    """Whether a comment allows what proving found."""
    return any(each.covers(problem) for each in comments)


_NO_REASON = Text(ja="理由がありません。", en="The reason is missing.")
_HOW = Text(
    ja="こう書いてください:  # quiz: allow rule-id -- 理由",
    en="Write:  # quiz: allow rule-id -- reason",
)


def _unused(each: Suppression, state: Standing) -> Problem:
    name = shown(each.rule)
    if not each.rule:
        message = Text(ja="ルールの名前がありません。", en="No rule is named.")
        hint: Text | None = _HOW
    elif state == "unknown":
        message = Text(ja=f"{name} というルールはありません。", en=f"There is no rule {name}.")
        hint = _HOW
    elif state == "firm":
        message = Text(ja=f"{name} は許可できません。", en=f"{name} can't be allowed.")
        hint = Text(
            ja="この誤りがあるカードは出題できません。直してください。",
            en="A card with this mistake can't be studied; mend it.",
        )
    else:
        message = Text(ja=f"ここに {name} の指摘はありません。", en=f"{name} finds nothing here.")
        hint = Text(ja="このコメントを消してください。", en="Delete the comment.")
    return Problem(UNUSED, each.start, message, hint, end=each.end, severity="warning")

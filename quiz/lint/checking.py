"""All rules over one deck, on two processors where the deck is large."""

from __future__ import annotations

import os
import pickle
import threading
from collections.abc import Iterator, Sequence
from contextlib import suppress

from quiz.deck.problem import Problem
from quiz.lint.rule import Context, Rule

_MANY = 2000  # cards from which on a second process saves more than it costs


def problems(context: Context, rules: Sequence[Rule]) -> list[Problem]:
    """What the rules find, in the order of the file."""
    shared = len(context.cards) >= _MANY and _may_fork()
    found = _on_two(context, rules) if shared else _on_one(context, rules)
    return sorted(found, key=lambda problem: (problem.position, problem.rule))


def _on_one(context: Context, rules: Sequence[Rule]) -> Iterator[Problem]:
    return (problem for rule in rules for problem in rule.check(context))


def _may_fork() -> bool:
    """Whether a copy of this process can do half of the work: it has no threads to lose."""
    processors = (
        len(os.sched_getaffinity(0)) if hasattr(os, "sched_getaffinity") else os.cpu_count()
    )
    return hasattr(os, "fork") and (processors or 1) > 1 and threading.active_count() == 1


def _on_two(context: Context, rules: Sequence[Rule]) -> list[Problem]:
    """Both processes take the number of the next rule from one pipe until it is empty."""
    _ = context.written, context.stated  # before the fork, so that it happens once
    take, give = os.pipe()
    os.write(give, bytes(range(len(rules))))
    os.close(give)
    receive, send = os.pipe()
    child = os.fork()
    if child == 0:
        with suppress(
            BaseException
        ):  # what fails here is done again by the parent, and fails there
            os.close(receive)
            own = _taken(take, context, rules)
            with os.fdopen(send, "wb") as pipe:
                pickle.dump(own, pipe)
        os._exit(0)
    os.close(send)
    found = dict(_taken(take, context, rules))
    os.close(take)
    with os.fdopen(receive, "rb") as pipe, suppress(EOFError, pickle.UnpicklingError):
        found.update(pickle.load(pipe))
    os.waitpid(child, 0)
    for number in set(range(len(rules))) - found.keys():
        found[number] = list(rules[number].check(context))
    return [problem for number in sorted(found) for problem in found[number]]


def _taken(take: int, context: Context, rules: Sequence[Rule]) -> list[tuple[int, list[Problem]]]:
    done: list[tuple[int, list[Problem]]] = []
    while number := os.read(take, 1):
        done.append((number[0], list(rules[number[0]].check(context))))
    return done

"""One good card of each kind, for rules to spoil, and what fixtures of these tests are."""

from __future__ import annotations

from collections.abc import Callable

from quiz.lint.finding import Finding

ExpectOne = Callable[[str, str], Finding]
DeckOf = Callable[[str], str]
Lint = Callable[[str], list[Finding]]

PROOF = "proof: {experiment: all-reduce-bytes, truth: [wire_sent == 1.5*payload ± 1%]}"
RECALL = f"""
id: card
kind: recall
source: page 1
ask: Who?
answer: Everyone
{PROOF}
"""
TRAP = """
id: card
kind: trap
source: page 1
ask: Which?
choices:
  - {text: Almost all, claim: wire_sent == 1.5*payload ± 1%}
  - {text: Nothing, claim: wire_sent == payload ± 1%, belief: once}
proof: {experiment: all-reduce-bytes}
"""
COMPUTE = """
id: card
kind: compute
source: page 1
ask: "{ranks}, {payload}"
vary: {ranks: [3, 4], payload: [1 MiB, 4 MiB]}
result: 2*(ranks-1)/ranks*payload
lures:
  - {result: payload, belief: once}
proof: {experiment: all-reduce-bytes, truth: [wire_sent == result ± 1%]}
"""

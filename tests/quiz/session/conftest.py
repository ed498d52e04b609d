import pytest

from quiz.deck.card import Card, Choice, Kind, NumberLure, Proof, Run, Statement
from verify.api import Text

PROOF = Proof((Run(None, "all-reduce-bytes"),))


def recall(name: str, **extra) -> Card:
    return Card("deck", name, Kind.RECALL, Text(en=f"{name}?"), answer=Text(en="yes"), **extra)


def trap(name: str, **extra) -> Card:
    choices = (
        Choice(Text(en="it is summed"), Statement("wire_sent > 0")),
        Choice(
            Text(en="nothing is sent"),
            Statement("wire_sent == 0"),
            "nothing-to-send",
            Text(en="replicas drift"),
        ),
        Choice(Text(en="twice"), Statement("wire_sent == 2*payload"), "twice"),
    )
    return Card("deck", name, Kind.TRAP, Text(en=f"{name}?"), choices=choices, **extra)


def compute(name: str, **extra) -> Card:
    """The ring all-reduce sends 2(N-1)/N of the payload: 6 MiB of 4 MiB at 4 ranks."""
    fields = {
        "vary": {"ranks": (3, 4, 5, 8), "payload": ("1 MiB", "4 MiB", "16 MiB")},
        "result": "2*(ranks-1)/ranks*payload",
        "lures": (
            NumberLure("payload", "once", Text(en="it is sent twice over")),
            NumberLure("ranks*payload", "all-to-all"),
        ),
    }
    return Card("deck", name, Kind.COMPUTE, Text(en="{ranks} ranks?"), **(fields | extra))


@pytest.fixture
def make():
    """Builders of cards by kind."""

    class Make:
        proof = PROOF

    Make.recall, Make.trap, Make.compute = map(staticmethod, (recall, trap, compute))
    return Make
